"""How losses are reduced, by the names and numbers that PyTorch has for it."""

import warnings

_NUMBERS = {"none": 0, "mean": 1, "elementwise_mean": 1, "sum": 2}


def get_enum(reduction):
    """The number of a reduction: 0 for "none", 1 for "mean", 2 for "sum".

    Raises:
        ValueError: another name.
    """
    if reduction == "elementwise_mean":
        warnings.warn(
            "reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.",
            stacklevel=2,
        )
    if reduction not in _NUMBERS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return _NUMBERS[reduction]


def legacy_get_string(size_average, reduce, emit_warning=True):
    """The reduction that the old arguments of losses mean, by their truth; None for either is True."""
    averaged, reduced = (True if v is None else bool(v) for v in (size_average, reduce))
    chosen = "none" if not reduced else "mean" if averaged else "sum"
    if emit_warning:
        warnings.warn(
            "size_average and reduce args will be deprecated, please use "
            f"reduction='{chosen}' instead.",
            stacklevel=2,
        )
    return chosen


def legacy_get_enum(size_average, reduce, emit_warning=True):
    """The number of that reduction."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
