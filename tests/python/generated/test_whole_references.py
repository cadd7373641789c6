"""References of whole numbers: equal to the last digit, and asked only where they say it."""

from types import SimpleNamespace

import numpy as np
import opweave as ow
import pytest
import test_references
from operator_table import Argument

_SELF = Argument("self", "Tensor", keyword_only=False, default=None, sample="int")
_LARGE = 2**60 + 1


def _of(numpy):
    return SimpleNamespace(
        formula=None, numpy=numpy, place="ops.yaml:1", reference=None, arguments=[_SELF]
    )


def test_digits_beyond_those_of_floats_differ():
    found, wanted = ow.tensor(_LARGE - 1), np.int64(_LARGE)
    assert test_references._difference(found, wanted).startswith(f"the element is {_LARGE - 1}, ")
    assert not test_references._difference(ow.tensor(_LARGE), wanted)


def test_a_sum_is_exact():
    (wanted,) = test_references._exact(_of("self.sum()"), {"self": ow.tensor([_LARGE, 3])})
    assert wanted == _LARGE + 3


@pytest.mark.parametrize(
    "numpy",
    [
        "self.sum() * 100",  # beyond 64 bits
        "np.int64(self.sum() / 2)",  # by way of a float
        "self.mean()",
        "np.bincount(self)",
        "np.zeros(self.max())",
    ],
)
def test_what_is_not_exact_says_nothing(numpy):
    assert test_references._exact(_of(numpy), {"self": ow.tensor([_LARGE, 3])}) is None
