"""Modes that see the operators which a thread calls below autograd.

A mode is asked in the place of each operator's kernel: after autograd has recorded it, autocast has cast its
arguments, vmap has taken batches apart; also in backward passes. Operators made of others are not shown;
those that they call are.
"""

import contextlib

from opweave import _C
from opweave._dispatch_modes import unseen
from opweave._modes import Mode

__all__ = [
    "TorchDispatchMode",
    "is_in_torch_dispatch_mode",
    "is_traceable_wrapper_subclass",
    "is_traceable_wrapper_subclass_type",
    "return_and_correct_aliasing",
    "transform_subclass",
]


class TorchDispatchMode(Mode):
    """Within `with mode:` its method `__torch_dispatch__(func, types, args, kwargs)` gives the results of
    operators.

    `func` is one of `torch.ops.aten`. What the method calls, the mode around this one sees; `with self:`
    inside has
    this one see it, too. `args` and `kwargs` lack what has its default.
    """

    supports_higher_order_operators = False

    def __init__(self, _dispatch_key=None):
        if _dispatch_key is not None:
            raise NotImplementedError(
                f"TorchDispatchMode(_dispatch_key={_dispatch_key!r}): modes see operators below autograd "
                "alone; expected None"
            )

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError

    def __enter__(self):
        _C._push_dispatch_mode(self)
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        _C._pop_dispatch_mode()

    @classmethod
    def is_infra_mode(cls):
        """Whether the mode belongs to the library: none does unless its class says so."""
        return False

    @classmethod
    def ignore_compile_internals(cls):
        """Whether what a compiler runs is not shown; nothing is compiled."""
        return cls.is_infra_mode()


def is_in_torch_dispatch_mode(include_infra_modes=True):
    """Whether a mode is entered in this thread."""
    modes = _C._dispatch_modes()
    return any(include_infra_modes or not mode.is_infra_mode() for mode in modes)


def _get_current_dispatch_mode():
    modes = _C._dispatch_modes()
    return modes[-1] if modes else None


def _get_current_dispatch_mode_stack():
    return list(_C._dispatch_modes())


@contextlib.contextmanager
def _pop_mode_temporarily(k=None):
    mode = _C._pop_dispatch_mode()
    try:
        yield mode
    finally:
        _C._push_dispatch_mode(mode)


_disable_current_modes = unseen


def is_traceable_wrapper_subclass_type(t):
    """Whether the tensors of a class can be taken apart into tensors and put together again."""
    return (
        isinstance(t, type)
        and issubclass(t, _C.Tensor)
        and t is not _C.Tensor
        and hasattr(t, "__tensor_flatten__")
        and hasattr(t, "__tensor_unflatten__")
    )


def is_traceable_wrapper_subclass(t):
    """Whether a tensor can be: its class has `__tensor_flatten__` and `__tensor_unflatten__`."""
    return is_traceable_wrapper_subclass_type(type(t))


def transform_subclass(t, callback, outer_size=None, outer_stride=None):
    """A tensor of the same class whose inner tensors are `callback(name, tensor)` of those of `t`.

    Raises:
        RuntimeError: the new tensor has not the sizes that it should.
    """
    outer_size = t.size() if outer_size is None else outer_size
    outer_stride = t.stride() if outer_stride is None else outer_stride
    names, context = t.__tensor_flatten__()
    inner = {name: callback(name, getattr(t, name)) for name in names}
    made = type(t).__tensor_unflatten__(inner, context, outer_size, outer_stride)
    if made.shape != outer_size or tuple(made.stride()) != tuple(outer_stride):
        raise RuntimeError(
            f"Expected return value from {type(t)}__tensor_unflatten__() to have shape equal to "
            f"{outer_size}, but got: {made.shape}"
        )
    return made


def return_and_correct_aliasing(func, args, kwargs, out):
    """What a wrapper's `__torch_dispatch__` returns: the argument itself for each result that the operator
    says is an argument it wrote, else what is in `out`. Wrappers have no data for views to share.

    Args:
        func: the operator, of torch.ops.
    """
    schema = func._schema
    written = {}
    for place, argument in enumerate(schema.arguments):
        alias = argument.alias_info
        if alias is None or not alias.is_write:
            continue
        given = args[place] if place < len(args) else (kwargs or {}).get(argument.name)
        written.update(dict.fromkeys(alias.before_set, given))
    results = out if isinstance(out, (tuple, list)) else (out,)
    if len(results) != len(schema.returns) or not written:
        return out
    answers = [_written(r.alias_info, written, o) for r, o in zip(schema.returns, results)]
    return type(out)(answers) if isinstance(out, (tuple, list)) else answers[0]


def _written(alias, written, result):
    """The argument that a result is; the result itself where it is none that was written."""
    names = () if alias is None or not alias.is_write else alias.before_set
    return next((written[name] for name in names if name in written), result)
