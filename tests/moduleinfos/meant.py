"""Differences of layers and optimizers from PyTorch's that are meant or that nobody decides, with reasons."""

from known import Known

MEANT = (
    Known("*", "accepted", "It computes in more dtypes.", "not implemented for"),
    Known(
        "*",
        "values",
        "Sums of numbers of few bits, added in another order; in wider ones here, most of the time.",
        dtypes="bfloat16",
    ),
    Known(
        "CTCLoss",
        "values",
        "PyTorch's gradient is three times as far from the one in float64.",
        dtypes="float32",
    ),
    Known("Muon", "values", "Directions are computed in bfloat16, whatever the parameters are in."),
)
