"""Where calls at the edge are taken or refused unlike in PyTorch, and why."""


def _names(text):
    return frozenset(text.split())


# Float16 is computed in float32: a factor needs a place there.
FACTORS_OF_HALF = _names("""
    add.Tensor add.Scalar addmv addr rsub.Scalar rsub.Tensor sub.Tensor sub.Scalar
    subtract.Scalar subtract.Tensor
""")
# PyTorch lets one form of an operator pass what it refuses in another: an infinite result of a finite number,
# or a number that is written nowhere.
UNEVEN = _names("""
    add.Scalar clamp elu linspace norm.Scalar norm.ScalarOpt_dim pow.Tensor_Scalar
    pow_.Tensor_Scalar rsub.Tensor scatter.value scatter_.value softplus sub.Scalar sub.Tensor subtract.Tensor
    where.ScalarOther where.ScalarSelf
""")
# A bound from 2**63 on limits nothing, with whatever the other one is.
BOUNDS = _names("clamp clip hardtanh hardtanh_")


def excused(operator, edge, answer):
    """Whether the outcome of a call, which PyTorch answers otherwise, is meant."""
    name = operator.full_name
    if edge in ("out=overlapping", "out=expanded"):
        return answer == "taken"  # whether PyTorch's answer can be trusted depends on its algorithm
    if answer == "taken":
        return name in UNEVEN
    if edge.endswith("float16"):
        return name in FACTORS_OF_HALF
    return name in BOUNDS or name in ("add.Scalar", "sub.Scalar")
