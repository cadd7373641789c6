"""topk of long lines, of which most is passed over: what a stable sort has in front."""

import math

import opweave as ow
import pytest

DTYPES = [ow.float32, ow.float64, ow.float16, ow.int64, ow.int32, ow.uint8]
# Of how many: below and beyond what groups of 64 and lines of them take.
SIZES = [(1, 8), (3, 129), (10, 1000), (63, 640), (100, 1003), (200, 5000)]


def check(x, k, dim=-1):
    for largest in (True, False):
        values, places = x.topk(k, dim, largest)
        expected, order = x.sort(stable=True, dim=dim, descending=largest)
        assert ow.equal(places, order.narrow(dim, 0, k))
        ow.testing.assert_close(values, expected.narrow(dim, 0, k), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("k", "n"), SIZES)
def test_as_sorted(dtype, k, n):
    ow.manual_seed(n)
    x = ow.randn(3, n) * 50
    x = (x if dtype.is_signed else x.abs()).to(dtype)
    check(x, k)
    check(x.t().contiguous().t(), k)
    check(x.t().contiguous(), k, 0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_ties(dtype):
    check(ow.full((2000,), 3, dtype=dtype), 20)
    check((ow.arange(2000) % 3).to(dtype), 20)
    check((ow.arange(2000) // 100).to(dtype), 20)
    check((2000 - ow.arange(2000)).clamp(max=1200).remainder(251).to(dtype), 50)


@pytest.mark.parametrize("dtype", [ow.float32, ow.float64, ow.float16])
@pytest.mark.parametrize("nans", [1, 19, 20, 300, 1990, 2000])
def test_nan_is_the_largest(dtype, nans):
    ow.manual_seed(nans)
    x = ow.randn(2000).to(dtype)
    x[ow.randperm(2000)[:nans]] = math.nan
    check(x, 20)


@pytest.mark.parametrize("dtype", [ow.float32, ow.float64])
def test_zeros_and_infinities(dtype):
    x = ow.tensor([0.0, -0.0, math.inf, -math.inf, 1e-45], dtype=dtype).repeat(400)
    check(x, 30)
    check(x[x.abs() < 1], 30)
    check(x.clamp(max=0), 30)
    check(ow.full((1000,), -math.inf, dtype=dtype), 10)


@pytest.mark.parametrize("dtype", [ow.int32, ow.int64])
def test_the_ends_of_integers(dtype):
    ends = ow.iinfo(dtype)
    x = ow.tensor([ends.min, ends.max, ends.min + 1, 0], dtype=dtype)
    check(x.repeat(500), 30)
    check(x[:1].repeat(500), 30)
    check(x[1:2].repeat(500), 30)
