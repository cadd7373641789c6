"""What recorded answers cannot show: neighbours of numbers bit by bit, and ends where PyTorch's overflow."""

import itertools
import math

import numpy as np
import opweave as ow
import pytest

POINTS = [0.0, -0.0, 1.0, -1.0, 1.5, 3e-45, -3e-45, 5e-324, math.inf, -math.inf, math.nan]


def bits(tensor):
    """Of NaN only that it is one."""
    whole = {2: ow.int16, 4: ow.int32, 8: ow.int64}[tensor.element_size()]
    return ow.where(tensor.isnan(), -1, tensor.view(whole)).tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_nextafter_is_numpys(dtype):
    largest = [np.finfo(dtype).max, -np.finfo(dtype).max, np.finfo(dtype).tiny]
    pairs = np.array(list(itertools.product([*POINTS, *largest], repeat=2)), dtype)
    a, b = ow.from_numpy(pairs[:, 0].copy()), ow.from_numpy(pairs[:, 1].copy())
    with np.errstate(over="ignore", under="ignore"):
        stepped = np.nextafter(pairs[:, 0], pairs[:, 1])
    # Of two zeros C asks for the second, and NumPy gives the first where numbers have 16 bits.
    wanted = ow.from_numpy(np.where(pairs[:, 0] == pairs[:, 1], pairs[:, 1], stepped))
    assert bits(ow.nextafter(a, b)) == bits(wanted)
    assert bits(a.nextafter_(b)) == bits(wanted)


def test_nextafter_of_bfloat16_is_one_step_of_its_own_digits():
    one = ow.ones(2, dtype=ow.bfloat16)
    found = ow.nextafter(one, ow.tensor([2.0, 0.0], dtype=ow.bfloat16))
    assert found.tolist() == [1 + 2.0**-7, 1 - 2.0**-8]


def test_nextafter_broadcasts_strided_and_empty_inputs():
    x = ow.arange(6.0, dtype=ow.float64).reshape(2, 3).t()
    found = ow.nextafter(x, ow.tensor([0.0, 9.0], dtype=ow.float64))
    assert np.array_equal(found.numpy(), np.nextafter(x.numpy(), [0.0, 9.0]))
    assert ow.nextafter(ow.ones(0), ow.ones(1)).shape == (0,)


def test_nextafter_refuses_whole_numbers():
    with pytest.raises(NotImplementedError, match="\"nextafter\" not implemented for 'Long'"):
        ow.nextafter(ow.tensor([1]), ow.tensor([2]))


def test_bessel_functions_at_the_ends():
    huge = ow.tensor([1e308, -1.2e308], dtype=ow.float64)
    wanted = 1 / (math.sqrt(2 * math.pi) * math.sqrt(1e308))
    assert ow.special.i0e(huge)[0].item() == pytest.approx(wanted, rel=1e-14)
    assert ow.special.i1e(huge)[1].item() == pytest.approx(-wanted / math.sqrt(1.2), rel=1e-14)
    assert ow.i0(huge).tolist() == [math.inf, math.inf]
    # exp(712) has no place, the function has.
    log = ow.i0(ow.tensor(712.0, dtype=ow.float64)).log().item()
    assert log == pytest.approx(712 - math.log(2 * math.pi * 712) / 2, rel=1e-6)


def test_a_steep_kaiser_window_is_finite():
    window = ow.kaiser_window(5, False, beta=2000.0, dtype=ow.float64)
    assert window[2] == 1
    assert window.isfinite().all()
    wanted = np.kaiser(5, 300.0)
    assert np.allclose(ow.kaiser_window(5, False, 300.0, dtype=ow.float64), wanted, rtol=1e-12)


def test_special_has_every_name_that_it_lists():
    assert all(callable(getattr(ow.special, name)) for name in ow.special.__all__)
