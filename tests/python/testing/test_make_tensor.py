"""The numbers that make_tensor() draws lie where they should, in every dtype."""

import opweave as ow
import pytest

DTYPES = sorted(str(d) for d in ow._C._dtypes)


def drawn(name, **options):
    dtype = getattr(ow, name.rpartition(".")[2])
    return ow.testing.make_tensor(2000, dtype=dtype, device="cpu", **options)


def parts(t):
    return t.view(t.dtype.to_real())


@pytest.mark.parametrize("name", DTYPES)
def test_numbers_of_every_dtype_fill_its_range(name):
    t = parts(drawn(name))
    numbers = t.double()
    low, high = (-9, 9) if t.dtype.is_floating_point or t.dtype.is_signed else (0, 9)
    low, high = (0, 1) if t.dtype == ow.bool else (low, high)
    assert low <= numbers.min() <= low + 1
    assert high - 1 <= numbers.max() <= high


@pytest.mark.parametrize("name", DTYPES)
def test_no_number_is_zero_where_zeros_are_excluded(name):
    assert bool((drawn(name, low=0, high=2, exclude_zero=True) != 0).all())


def test_a_complex_zero_gets_a_real_part():
    t = drawn("opweave.complex64", low=-1e-45, high=1e-45, exclude_zero=True)
    assert bool((t != 0).all())
    assert ow.finfo(ow.complex64).tiny in t.tolist()


def test_both_parts_of_complex_numbers_are_drawn():
    ow.manual_seed(3)
    t = drawn("opweave.complex64")
    ow.manual_seed(3)
    assert ow.equal(parts(t), ow.empty(2000, 2).uniform_(-9, 9).flatten())
    assert ow.testing.make_tensor((2, 0), dtype=ow.complex64, device="cpu").shape == (2, 0)
    assert ow.testing.make_tensor((), dtype=ow.complex64, device="cpu").shape == ()


def test_a_range_wider_than_the_largest_number_is_filled():
    t = drawn("opweave.float32", low=float("-inf"), high=float("inf"))
    assert bool(t.isfinite().all())
    assert float(t.abs().max()) > 3e38


def test_a_seed_gives_the_same_numbers():
    ow.manual_seed(3)
    first = drawn("opweave.float32")
    ow.manual_seed(3)
    assert first.equal(drawn("opweave.float32"))
