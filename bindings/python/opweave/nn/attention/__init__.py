"""Which ways of computing attention are permitted, after torch.nn.attention.

backends.cuda says the same way by way; opweave.backends._attention holds it for both.
"""

from opweave.backends import _attention
from opweave.backends._attention import SDPBackend
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


def _cur_sdpa_kernel_backends(with_priority=False):
    """Those that are permitted now; as they were given where the first are preferred."""
    return list(_attention.permitted() if with_priority else _attention.in_order())


def sdpa_kernel(backends, set_priority=False):
    """Permits these ways and no others, as a context or a decorator.

    Args:
        backends: a SDPBackend, or several.
        set_priority: whether the first are preferred; there is no choice to make.

    Raises:
        AssertionError: something else.
        RuntimeError: no way.
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
    return _attention.permitting(backends, "sdpa_kernel()")


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
