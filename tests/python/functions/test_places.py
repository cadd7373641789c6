"""Places in sorted values and in ranges, of numbers and tensors of any dtype: PyTorch's answers."""

import math

import numpy as np
import opweave as ow
import pytest

WHOLE = ow.tensor([1, 2, 3])
FLOATS = ow.tensor([1.0, 2, 3])


@pytest.mark.parametrize(
    ("edges", "value", "place"),
    [
        (WHOLE, 2.5, 2),
        (WHOLE, math.inf, 3),
        (WHOLE, -math.inf, 0),
        (WHOLE, math.nan, 3),
        (WHOLE.to(ow.uint8), 300, 3),
        (WHOLE.to(ow.uint8), -1, 0),
        (FLOATS, 2.00000001, 1),  # a number beside float32 is one
        (FLOATS, True, 0),
        (ow.tensor([16777217, 16777218]), 16777217.0, 0),
        (FLOATS.to(ow.float64), 2.00000001, 2),
        (WHOLE.to(ow.uint16), 2, 1),
        (WHOLE.to(ow.uint64), 2, 1),
        (FLOATS, ow.tensor(2.00000001, dtype=ow.float64), 1),  # as a number
    ],
)
def test_numbers_keep_their_digits(edges, value, place):
    assert ow.searchsorted(edges, value) == place
    assert ow.bucketize(value, edges) == place


@pytest.mark.parametrize(
    ("edges", "values", "places"),
    [
        (WHOLE, ow.tensor([2.5]), [2]),
        (FLOATS, ow.tensor([2]), [1]),
        (WHOLE.to(ow.int32), ow.tensor([2]), [1]),
        (FLOATS, ow.tensor([2.00000001], dtype=ow.float64), [2]),
        (WHOLE.reshape(1, 3), ow.tensor([[2.5]]), [[2]]),
    ],
)
def test_tensors_of_two_dtypes(edges, values, places):
    assert ow.searchsorted(edges, values).tolist() == places


def test_counts_between_equal_bounds_are_those_of_the_elements():
    values = ow.tensor([1.0, 2, 3, 4])
    for bound in (0, 1, 5, -1):
        assert ow.histc(values, 4, min=bound, max=bound).tolist() == [1, 1, 1, 1]
    assert ow.histc(ow.tensor([2.0, 2]), 4, min=5, max=5).tolist() == [0, 0, 2, 0]
    assert ow.histogram(values, 4, range=(5.0, 5.0)).hist.tolist() == [0, 0, 0, 0]


ELEMENTS = [3, 0, -1, 7, 3, 2**53 + 1]


@pytest.mark.parametrize("tests", [0, 1, 8, 9, 70])
@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "float32", "float64", "float16"])
def test_isin(dtype, tests):
    values = np.array([3, 1, 0] * 30)[:tests].astype("uint8")
    elements = ow.tensor(ELEMENTS[:2] * 300 if dtype == "uint8" else ELEMENTS * 100)
    elements, among = elements.to(getattr(ow, dtype)), ow.tensor(values).to(getattr(ow, dtype))
    found = np.isin(elements.numpy(), among.numpy())
    assert ow.isin(elements, among).tolist() == found.tolist()
    assert ow.isin(elements.reshape(2, -1).t(), among, invert=True).tolist() == (
        (~found).reshape(2, -1).T.tolist()
    )


def test_isin_of_numbers_and_of_nothing():
    nan = math.nan
    assert ow.isin(ow.tensor([nan, 2.0]), ow.tensor([nan] * 9 + [2.0])).tolist() == [False, True]
    assert ow.isin(ow.tensor([math.inf]), ow.tensor([nan] * 9 + [2.0])).tolist() == [False]
    assert ow.isin(ow.tensor([math.inf]), ow.tensor([nan] * 9 + [math.inf])).tolist() == [True]
    small = ow.tensor([1, 2, 3], dtype=ow.uint8)
    assert ow.isin(small, 257).tolist() == (small == 257).tolist()
    assert ow.isin(ow.tensor([2**53 + 1]), ow.tensor([2**53] * 9)).tolist() == [False]
    assert ow.isin(2, WHOLE).item()
    assert not ow.isin(2, WHOLE, invert=True).item()
    assert ow.isin(2.5, WHOLE, invert=True).item()
    assert ow.isin(ow.zeros(0, 3), FLOATS).shape == (0, 3)
    assert ow.isin(FLOATS, ow.zeros(0), invert=True).tolist() == [True] * 3


def test_isin_takes_memory_for_elements_and_not_for_pairs():
    """A comparison of each with each would have 10^10 results."""
    assert ow.isin(ow.arange(100_000), ow.arange(50_000, 150_000)).sum() == 50_000
