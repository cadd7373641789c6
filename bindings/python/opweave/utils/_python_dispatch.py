"""Modes that see the operators which a thread calls below autograd.

A mode is asked in the place of each operator's kernel: after autograd has recorded it, autocast has cast its
arguments, vmap has taken batches apart; also in backward passes. Operators made of others are not shown;
those that they call are.
"""

import contextlib

from opweave import _C
from opweave._dispatch_modes import unseen
from opweave._modes import Mode

__all__ = ["TorchDispatchMode", "is_in_torch_dispatch_mode"]


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
def _pop_mode_temporarily():
    mode = _C._pop_dispatch_mode()
    try:
        yield mode
    finally:
        _C._push_dispatch_mode(mode)


_disable_current_modes = unseen
