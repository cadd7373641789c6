"""Which ways of computing attention a program permits: one set, which backends.cuda and nn.attention show.

Attention is computed as it would be with all of them, whichever are permitted: a program that names others
gets the same numbers up to rounding. Only that none is permitted is refused.
"""

import contextlib
import enum


class SDPBackend(enum.IntEnum):
    """The ways that PyTorch knows."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


SDPBackend.__module__ = "opweave.nn.attention"

# In the order in which PyTorch lists them.
_ALL = (
    SDPBackend.CUDNN_ATTENTION,
    SDPBackend.FLASH_ATTENTION,
    SDPBackend.EFFICIENT_ATTENTION,
    SDPBackend.MATH,
    SDPBackend.OVERRIDEABLE,
)
_permitted = dict.fromkeys(_ALL)  # a set that keeps the order in which it was given


def permitted():
    """The ways that are permitted now, as they were given."""
    return tuple(_permitted)


def in_order():
    """The same, in the order in which PyTorch lists them."""
    return tuple(way for way in _ALL if way in _permitted)


def permit(ways, caller):
    """Permits these ways and no others.

    Raises:
        RuntimeError: there are none.
    """
    if not ways:
        raise RuntimeError(
            f"{caller}: No viable backend for scaled_dot_product_attention was found: none of the ways "
            "that PyTorch knows would be permitted, and one has to be"
        )
    _permitted.clear()
    _permitted.update(dict.fromkeys(ways))


def change(way, enabled, caller):
    """Permits or forbids one way.

    Raises:
        RuntimeError: `enabled` is no bool; none would be left.
    """
    if not isinstance(enabled, bool):
        raise RuntimeError(f"{caller} expects a bool, but got {type(enabled).__name__}")
    others = [other for other in _permitted if other is not way]
    permit([*others, way] if enabled else others, caller)


@contextlib.contextmanager
def permitting(ways, caller):
    """Permits these ways and no others within `with`."""
    before = permitted()
    permit(ways, caller)
    try:
        yield {}
    finally:
        permit(before, caller)
