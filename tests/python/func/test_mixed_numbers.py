"""Examples without dimensions beside others of another dtype: functions of two tensors under vmap, against
a loop over the examples. They count as numbers in promotion, as their batch does not."""

import itertools

import opweave as ow
import pytest
from opweave.func import vmap

DTYPES = (
    ow.uint8,
    ow.int8,
    ow.int32,
    ow.int64,
    ow.float16,
    ow.bfloat16,
    ow.float32,
    ow.float64,
    ow.bool,
)
VALUES = ow.tensor([[-3.0, 1.0, 2.0], [5.0, -1.0, 300.0]], dtype=ow.float64)
NUMBERS = ow.tensor([-1.0, 2.5], dtype=ow.float64)
# Random ones, and one that refuses integers for one argument, where a number beside floats is one no longer.
OTHERS = {"normal", "binomial", "kl_div"}


def _of_two_tensors(name):
    function = getattr(ow, name)
    if name.startswith("_") or name in OTHERS or name.endswith("_") or isinstance(function, type):
        return False
    x, y = ow.tensor([[1.0, 2.0]] * 3), ow.tensor(2.0)
    try:
        return function(x, y).shape == x.shape and function(y, x).shape == x.shape
    except Exception:
        return False


FUNCTIONS = [name for name in dir(ow) if callable(getattr(ow, name)) and _of_two_tensors(name)]


def _cast(t, dtype):
    return (
        t.to(ow.int64).to(dtype)
        if dtype != ow.bool and not dtype.is_floating_point
        else t.to(dtype)
    )


def _outcome(f, *args):
    """The result, or None where it is refused."""
    try:
        return f(*args)
    except (RuntimeError, NotImplementedError, TypeError):
        return None


def test_there_are_functions():
    assert {"add", "div", "copysign", "atan2", "xlogy", "heaviside"} <= set(FUNCTIONS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_numbers_beside_tensors(name):
    function = getattr(ow, name)
    for first, second in itertools.product(DTYPES, repeat=2):
        pairs = (
            (_cast(VALUES, first), _cast(NUMBERS, second)),
            (_cast(NUMBERS, first), _cast(VALUES, second)),
            (_cast(NUMBERS, first), _cast(VALUES[:, 0], second)),
        )
        for x, y in pairs:
            parts = [_outcome(function, a, b) for a, b in zip(x, y)]
            found = _outcome(vmap(function), x, y)
            if any(p is None for p in parts):
                assert found is None, (first, second)
                continue
            expected = ow.stack(parts)
            assert found is not None, (first, second)
            assert found.dtype == expected.dtype, (first, second)
            # Batched numbers are rounded to 16 bits.
            close = {"rtol": 0.02, "atol": 0.02} if found.dtype.itemsize == 2 else {}
            assert ow.allclose(found, expected, equal_nan=True, **close), (x, y, found, expected)
