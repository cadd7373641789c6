"""Tensors of more elements, and views that reach further, than 32-bit offsets do."""

import opweave as ow
import pytest

LENGTH = (1 << 31) + 5


def has_room():
    return ow.cuda.is_available() and ow.cuda.mem_get_info()[0] > 16 << 30


pytestmark = pytest.mark.skipif(
    not has_room(), reason="there is no cuda device with 16 GiB of free memory"
)


@pytest.fixture
def x():
    x = ow.full((LENGTH,), 3, dtype=ow.uint8, device="cuda")
    x[-1] = 7
    x[(1 << 31) - 1] = 5
    yield x
    del x
    ow.cuda.empty_cache()


def last(t):
    return t[-1].item(), t[(1 << 31) - 1].item(), t[-6].item()


def test_elements(x):
    assert last(x + x) == (14, 10, 10)
    assert last(x.to(ow.float16)) == (7, 5, 5)
    assert last((x > 4).to(ow.uint8)) == (1, 1, 1)


def test_floats(x):
    y = x.to(ow.float16)
    assert last(y * 0.5) == (3.5, 2.5, 2.5)


def test_views_that_reach_far(x):
    every = x[:: (1 << 31) + 4]
    assert every.tolist() == [3, 7]
    assert (every + every).tolist() == [6, 14]
    matrix = x[: 1 << 31].view(2, 1 << 30)
    assert (matrix.t()[-1] * 2).tolist() == [6, 10]
    assert matrix.t().contiguous()[-1].tolist() == [3, 5]
