"""One row times one column, in any layout and dtype: products with one element have a way of their own."""

import numpy as np
import opweave as ow
import pytest

RNG = np.random.default_rng(3)
DTYPES = ["float64", "float32", "float16", "bfloat16", "int64", "int32", "uint8"]


def drawn(dtype, *sizes):
    values = ow.tensor(RNG.integers(0, 8, sizes).astype("float64"))
    return values.to(getattr(ow, dtype))


def exact(tensor):
    return tensor.double().numpy()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("terms", [1, 3, 64, 300])
def test_every_dtype_and_layout(dtype, terms):
    rows, columns = drawn(dtype, 5, 1, 2 * terms), drawn(dtype, 2 * terms, 1, 5)
    for a in (rows[:, :, :terms], rows[:, :, ::2], rows[:1, :, :terms].expand(5, 1, terms)):
        for b in (columns[:terms].permute(2, 0, 1), columns[::2].permute(2, 0, 1)):
            expected = exact(a) @ exact(b)
            if dtype == "uint8":
                expected = expected % 256
            tolerance = 0.01 if dtype in ("float16", "bfloat16") else 1e-12
            np.testing.assert_allclose(exact(a @ b), expected, rtol=tolerance)
            np.testing.assert_allclose(exact(a[0] @ b[0]), expected[0], rtol=tolerance)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bfloat16"])
def test_what_it_is_added_to(dtype):
    a, b, c = drawn(dtype, 4, 1, 6), drawn(dtype, 4, 6, 1), drawn(dtype, 4, 1, 1)
    tolerance = 0.02 if dtype == "bfloat16" else 1e-12
    for beta, alpha in ((1, 1), (0, 2), (3, -2), (2, 0)):
        expected = beta * exact(c) + alpha * (exact(a) @ exact(b))
        found = ow.baddbmm(c, a, b, beta=beta, alpha=alpha)
        np.testing.assert_allclose(exact(found), expected, rtol=tolerance, atol=0.1)
    nothing = ow.full((4, 1, 1), float("nan")) if dtype == "float32" else c
    found = ow.baddbmm(nothing, a, b, beta=0)
    np.testing.assert_allclose(exact(found), exact(a) @ exact(b), rtol=tolerance)


def test_integers_wrap():
    a = ow.tensor([[2**40, 3]])
    assert (a @ a.T).item() == (2**80 + 9 + 2**63) % 2**64 - 2**63


def test_no_terms():
    assert (ow.ones(3, 1, 0) @ ow.ones(3, 0, 1)).tolist() == [[[0.0]]] * 3
