"""What programs say about compilation, after torch.compiler: nothing is compiled, so that all of it holds."""

import contextlib
import functools
import types

from opweave import _C

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "config",
    "cudagraph_mark_step_begin",
    "disable",
    "get_default_backend",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "nonstrict_trace",
    "reset",
    "set_default_backend",
    "set_enable_guard_collectives",
    "set_stance",
    "substitute_in_graph",
    "wrap_numpy",
]

# Settings of a compiler that is not there: kept, and read back.
config = types.SimpleNamespace(dynamic_shapes=True, assume_static_by_default=True, verbose=False)
_backend = "inductor"


def is_compiling():
    """False: no program is compiled."""
    return False


def is_dynamo_compiling():
    """False: no program is compiled."""
    return False


def is_exporting():
    """False: no program is exported."""
    return False


def reset():
    """Forgets what was compiled: nothing was."""


def cudagraph_mark_step_begin():
    """Says that a step of training begins: no graph of calls is replayed."""


def list_backends(exclude_tags=("debug", "experimental")):
    """The compilers that can be asked for: none."""
    return []


def disable(fn=None, recursive=True, *, reason=None):
    """Decorator: what is never to be compiled; gives the function back."""
    return (lambda f: f) if fn is None else fn


def allow_in_graph(fn):
    """What is to be compiled without a look inside; gives the function, or the list of them, back.

    Raises:
        AssertionError: not a function.
    """
    if isinstance(fn, (list, tuple)):
        return [allow_in_graph(f) for f in fn]
    if not callable(fn):
        raise AssertionError("allow_in_graph expects a callable")
    return fn


def assume_constant_result(fn):
    """Decorator: a function that always gives the same; gives it back."""
    return fn


def substitute_in_graph(original_fn, **options):
    """Decorator: what stands for a function where it is compiled; gives the function back."""
    return lambda traceable: traceable


class set_stance(contextlib.ContextDecorator):  # noqa: N801 - PyTorch's name
    """How calls of compiled functions are treated, as a statement, a context or a decorator: all are called
    as they are.

    Args:
        stance: "default", "force_eager", "eager_on_recompile", "fail_on_recompile", "eager_then_compile" and
            others of PyTorch's.
    """

    def __init__(self, stance="default", **options):
        self.stance = stance

    def __enter__(self):
        """The same object."""
        return self

    def __exit__(self, *error):
        """Nothing was changed."""


def get_default_backend():
    """What set_default_backend() was told; PyTorch's own before. No backend compiles anything."""
    return _backend


def set_default_backend(backend):
    """Says what is to compile where a program names nothing: nothing is compiled.

    Raises:
        TypeError: neither a name nor a function.
    """
    global _backend
    if not isinstance(backend, str) and not callable(backend):
        raise TypeError(
            f"set_default_backend(): backend: expected a str or a function, got {type(backend).__name__}"
        )
    _backend = backend


def set_enable_guard_collectives(enabled):
    """Says whether ranks agree before they compile: none does. Returns what was said before."""
    before = getattr(config, "guard_collectives", False)
    config.guard_collectives = bool(enabled)
    return before


def nonstrict_trace(traceable_fn):
    """Decorator: what is recorded without a look at its code; gives the function back."""
    return traceable_fn


def wrap_numpy(fn):
    """The function of arrays as one of tensors: they share memory with the arrays that it gets and gives."""
    import numpy as np

    from opweave.utils._pytree import tree_map

    def array(value):
        return value.numpy() if isinstance(value, _C.Tensor) else value

    def tensor(value):
        return _C.as_tensor(value) if isinstance(value, (np.ndarray, np.generic)) else value

    @functools.wraps(fn)
    def wrapped(*args, **kwargs):
        args, kwargs = tree_map(array, (args, kwargs))
        return tree_map(tensor, fn(*args, **kwargs))

    return wrapped
