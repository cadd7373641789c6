"""Dimensions by number, counted from either end."""


def wrapped(dim, count):
    """The number of a dimension, of `count`, from the first on. A number without dimensions counts as one.

    Raises:
        IndexError: there is no such dimension.
    """
    least = max(count, 1)
    if not -least <= dim < least:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-least}, {least - 1}], but got {dim})"
        )
    return dim % least
