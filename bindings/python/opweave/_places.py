"""Floats that become indices: the one place where they are converted."""

import math

from opweave import _C
from opweave.functional import where


def to_places(x, size):
    """The whole numbers of floats, as indices of a dimension of `size` elements.

    A conversion says nothing of NaN, infinities and what int64 has no place for, and an index is where that
    would be read from memory: NaN is 0, what lies outside is the border.
    """
    last = max(size - 1, 0)
    x = x.detach()
    if x.element_size() < 4:
        x = x.float()  # not every place has a number in fewer bits
    within = within_borders(x, float(last))
    # A border that float32 has no number for was rounded, perhaps upwards.
    return within.to(_C.int64).clamp(max=last)


def within_borders(x, last):
    """`x` between 0 and `last`, with no gradient from the borders on; NaN is 0, as nothing is known of it."""
    above = where(x > 0, x, _C.zeros_like(x))
    return where(above < last, above, _C.full_like(above, last))


def to_size(name, value):
    """A size that was computed with floats, rounded down.

    Raises:
        RuntimeError: it is NaN, infinite, or more than int64 has a place for.
    """
    if not abs(value) < 2**63:
        raise RuntimeError(
            f"{name}(): a size of {value} cannot be converted to int64 without overflow"
        )
    return math.floor(value)
