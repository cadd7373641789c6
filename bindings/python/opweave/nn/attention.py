"""Which ways of computing attention are permitted, after torch.nn.attention.

Attention is computed one way here, whichever are permitted: a program that names others gets the same
numbers up to rounding, and nothing is refused.
"""

import contextlib
import contextvars
import enum

__all__ = ["WARN_FOR_UNFUSED_KERNELS", "SDPBackend", "sdpa_kernel"]

WARN_FOR_UNFUSED_KERNELS = False


class SDPBackend(enum.IntEnum):
    """The ways that PyTorch knows."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


_ALL = tuple(backend for backend in SDPBackend if backend is not SDPBackend.ERROR)
_permitted = contextvars.ContextVar("permitted", default=_ALL)


def _cur_sdpa_kernel_backends(with_priority=False):
    """Those that are permitted now."""
    return list(_permitted.get())


@contextlib.contextmanager
def sdpa_kernel(backends, set_priority=False):
    """Permits these ways, as a context or a decorator.

    Args:
        backends: a SDPBackend, or several.
        set_priority: whether the first are preferred; there is no choice to make.

    Raises:
        AssertionError: something else.
    """
    if isinstance(backends, SDPBackend):
        backends = [backends]
    known = isinstance(backends, list) and all(
        isinstance(backend, SDPBackend) for backend in backends
    )
    if not known:
        raise AssertionError(
            f"sdpa_kernel(): expected backends to be SDPBackend or a list of them, got {backends!r}"
        )
    token = _permitted.set(tuple(dict.fromkeys(backends)))
    try:
        yield {}
    finally:
        _permitted.reset(token)
