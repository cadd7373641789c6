"""Where calls at the edge are taken or refused unlike in PyTorch, and why."""


def _names(text):
    return frozenset(text.split())


# PyTorch lets one form of an operator pass what it refuses in another: an infinite result of a finite number,
# or a number that is written nowhere.
UNEVEN = _names("""
    add.Scalar clamp elu linspace pow.Tensor_Scalar
    pow_.Tensor_Scalar rsub.Tensor scatter.value scatter_.value softplus sub.Scalar sub.Tensor subtract.Tensor
""")
# A bound from 2**63 on limits nothing, with whatever the other one is.
BOUNDS = _names("clamp clip hardtanh hardtanh_")


# Numbers that PyTorch adds or subtracts in a wider type, and casts.
SUMS = _names("add.Scalar sub.Scalar")
# A margin is compared, as in the other losses, and need not be a number of the dtype.
MARGINS = _names("multi_margin_loss")
LISTED = {
    "MARGINS": MARGINS,
    "UNEVEN": UNEVEN,
    "BOUNDS": BOUNDS,
    "SUMS": SUMS,
}


def _tables(edge, answer):
    if answer == "taken":
        return ("UNEVEN",)
    return ("BOUNDS", "SUMS", "MARGINS")


def reason(operator, edge, answer):
    """The table that says why a call may be answered unlike in PyTorch; None if there is none."""
    if edge in ("out=overlapping", "out=expanded"):
        # Whether PyTorch's answer can be trusted depends on its algorithm.
        return "the algorithm" if answer == "taken" else None
    return next((t for t in _tables(edge, answer) if operator.full_name in LISTED[t]), None)
