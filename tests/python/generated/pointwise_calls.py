"""Operators with an expression: their calls, and what NumPy makes of the expression."""

import numpy as np
import numpy_functions as reference
from operators import OPERATORS
from samples import call

POINTWISE = [o for o in OPERATORS if o.reference is not None]


def tensor_arguments(operator, values):
    """Names of the arguments that are given as arrays or tensors."""
    return [
        a.name
        for a in operator.arguments
        if a.type.startswith("Tensor") and values[a.name] is not None
    ]


def is_float(array):
    return np.asarray(array).dtype == np.float64


def invoke(operator, values, **extra):
    return call(operator, values, method=not operator.function, **extra)


def expected(operator, values):
    with np.errstate(all="ignore"):
        return np.asarray(operator.reference(reference, values))
