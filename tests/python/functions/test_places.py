"""Places in sorted values and in ranges, of numbers and tensors of any dtype: PyTorch's answers."""

import math

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
