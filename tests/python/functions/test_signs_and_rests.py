"""Signs of zeros and of what is no number, and rests whose quotient no float holds, as NumPy has them."""

import numpy as np
import pytest

FLOATS = ["float16", "float32", "float64"]


@pytest.mark.parametrize("dtype", FLOATS)
def test_signbit(ow, dtype):
    values = np.array(
        [0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, np.nan, -np.nan, 1e-7, -1e-7] * 3, dtype
    )
    assert ow.from_numpy(values).signbit().tolist() == np.signbit(values).tolist()


def test_signbit_of_whole_numbers(ow):
    assert ow.tensor([-(2**63), -1, 0, 2**63 - 1]).signbit().tolist() == [True, True, False, False]
    assert ow.tensor([0, 255], dtype=ow.uint8).signbit().tolist() == [False, False]
    assert ow.tensor([-0.0, -0.3]).to(ow.bfloat16).ceil().signbit().tolist() == [True, True]


def pairs(dtype):
    """Quotients that overflow, beside ordinary ones in the same vector."""
    tiny = np.finfo(dtype).smallest_subnormal
    small = np.finfo(dtype).tiny / dtype(64)
    large = np.finfo(dtype).max
    a = [3, -3, 1, 7.5, large, -large, large, 0, np.inf, np.nan, 5, -5, 2.5, tiny]
    b = [tiny * 1000, small, -tiny, 2, small, small, tiny, small, small, small, np.inf, -2, 0, 1]
    return np.array(a, dtype), np.array(b, dtype)


@pytest.mark.parametrize("name", ["fmod", "remainder"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rests(ow, name, dtype):
    a, b = pairs(dtype)
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(a, b)
    got = getattr(ow, name)(ow.from_numpy(a), ow.from_numpy(b)).numpy()
    assert got.tobytes() == expected.tobytes() or np.array_equal(got, expected, equal_nan=True)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_quotients_that_overflow(ow, dtype):
    a, b = pairs(dtype)
    got = ow.floor_divide(ow.from_numpy(a), ow.from_numpy(b)).numpy()
    with np.errstate(all="ignore"):
        overflows = np.isinf(a / b) & np.isfinite(a)
        assert overflows.sum() >= 6
        assert np.array_equal(got[overflows], (a / b)[overflows])
