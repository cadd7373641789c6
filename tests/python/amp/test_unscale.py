"""The scaler's pass over gradients of every layout and dtype, against NumPy."""

import numpy as np
import opweave as ow
import pytest

DTYPES = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-6, "float64": 1e-7}
LAYOUTS = {
    "contiguous": lambda t: t,
    "transposed": lambda t: t.t(),
    "with gaps": lambda t: t[:, ::2],
    "empty": lambda t: t[:0],
    "of no dimension": lambda t: t[0, 0],
}


def unscale(gradients, factor, found=0.0):
    """What is told of the gradients, which are changed."""
    told = ow.full((1,), found)
    ow._C._amp_foreach_non_finite_check_and_unscale_(gradients, told, ow.full((1,), factor))
    return told.item()


def made(dtype, layout="contiguous"):
    base = ow.arange(300 * 40).reshape(300, 40).to(ow.float32).sin().to(getattr(ow, dtype))
    return LAYOUTS[layout](base)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_element_is_multiplied(dtype, layout):
    given = made(dtype, layout)
    expected = given.to(ow.float64).numpy() * 0.125
    before = given._version
    assert unscale([given], 0.125) == 0
    error = np.abs(given.to(ow.float64).numpy() - expected)
    assert error.size == 0 or error.max() <= DTYPES[dtype]
    assert given._version > before


@pytest.mark.parametrize("value", [float("inf"), -float("inf"), float("nan")])
@pytest.mark.parametrize("place", [0, 7, 299, 150])
@pytest.mark.parametrize("dtype", DTYPES)
def test_one_that_is_not_finite_is_told(dtype, place, value):
    gradients = [made(dtype), made(dtype), made(dtype, "with gaps")]
    gradients[place % 3][place, 3] = value
    assert unscale(gradients, 1.0) == 1
    told = gradients[place % 3][place, 3].item()
    assert told == value or (np.isnan(told) and np.isnan(value))


def test_what_leaves_the_range_by_the_product_is_none_of_them():
    gradient = ow.tensor([1e30])
    assert unscale([gradient], 1e20) == 0
    assert gradient.item() == float("inf")


def test_what_was_told_before_stays():
    assert unscale([ow.ones(3)], 1.0, found=1.0) == 1
    assert unscale([], 1.0, found=0.0) == 0


def test_the_rest_of_a_list_with_a_wrong_dtype_stays():
    gradients = [ow.ones(3), ow.ones(3).to(ow.float8_e5m2)]
    text = r"\"_amp_foreach_non_finite_check_and_unscale_\" not implemented for 'Float8_e5m2'"
    with pytest.raises(NotImplementedError, match=text):
        unscale(gradients, 0.5)
    assert gradients[0].tolist() == [1, 1, 1]


def test_a_memory_that_is_written_twice_is_refused():
    with pytest.raises(RuntimeError, match="more than one element"):
        unscale([ow.ones(1).expand(4)], 0.5)
