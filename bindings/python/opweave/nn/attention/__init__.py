"""Which ways of computing attention are permitted, after torch.nn.attention.

Attention is computed one way here, whichever are permitted: a program that names others gets the same
numbers up to rounding, and nothing is refused.
"""

import contextlib
import contextvars
import enum

from opweave.backends.cuda import (
    SDPAParams,
    can_use_efficient_attention,
    can_use_flash_attention,
)

__all__ = [
    *("SDPAParams", "SDPBackend", "WARN_FOR_UNFUSED_KERNELS", "activate_flash_attention_impl"),
    *("can_use_efficient_attention", "can_use_flash_attention", "current_flash_attention_impl"),
    *("list_flash_attention_impls", "restore_flash_attention_impl", "sdpa_kernel"),
]

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


def list_flash_attention_impls():
    """The kernels of flash attention that can be chosen: none."""
    return []


def current_flash_attention_impl():
    """That which is chosen: None."""
    return None


def activate_flash_attention_impl(impl):
    """Refused: there are no kernels of flash attention.

    Raises:
        ValueError: always.
    """
    raise ValueError(
        f"activate_flash_attention_impl(): impl: expected one of list_flash_attention_impls(), which are "
        f"none, got {impl!r}"
    )


def restore_flash_attention_impl():
    """Goes back to the kernel that was there: none was chosen."""
