"""PyTorch's older name of functional."""

from opweave.optim.functional import (  # noqa: F401
    adadelta,
    adagrad,
    adam,
    adamax,
    adamw,
    asgd,
    nadam,
    radam,
    rmsprop,
    rprop,
    sgd,
    sparse_adam,
)
