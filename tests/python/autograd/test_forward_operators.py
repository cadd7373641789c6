"""Forward rules of single operators, where no sample call would tell a mistake."""

import opweave as ow
import pytest
from opweave.func import jvp, vjp
from opweave.testing import assert_close


def by_backward(f, primals, tangents):
    """The same by two backward passes."""
    value, pull = vjp(f, *primals)
    _, push = vjp(pull, ow.zeros_like(value))
    (pushed,) = push(tuple(tangents))
    return pushed


def drawn(seed, *shape):
    return ow.randn(*shape, dtype=ow.float64, generator=ow.Generator().manual_seed(seed))


@pytest.mark.parametrize(("offset", "columns"), [(None, slice(0, 2)), (7, slice(1, 3))])
def test_the_tangent_may_begin_elsewhere_in_memory(offset, columns):
    x, v = drawn(1, 4, 3)[1:], drawn(2, 3, 3)
    assert (x.storage_offset(), v.storage_offset()) == (3, 0)
    tangent = jvp(lambda a: a[1:].as_strided((2, 2), (3, 1), offset), (x,), (v,))[1]
    assert_close(tangent, v[1:, columns])


def test_sums_leave_out_what_is_no_number():
    x, v = drawn(1, 4, 3), drawn(2, 4, 3)
    x[1, 2] = x[3, 0] = float("nan")
    want = v.clone()
    want[1, 2] = want[3, 0] = 0
    assert_close(jvp(lambda a: a.nansum(0), (x,), (v,))[1], want.sum(0))


def test_normalised_groups_of_any_shape():
    primals = drawn(1, 3, 4, 5), drawn(2, 4), drawn(3, 4)
    tangents = drawn(4, 3, 4, 5), drawn(5, 4), drawn(6, 4)

    def f(a, weight, bias):
        return ow.nn.functional.group_norm(a, 2, weight, bias)

    assert_close(jvp(f, primals, tangents)[1], by_backward(f, primals, tangents))


ZEROS = ([1.5, 2.0, -0.5, 3.0], [1.5, 0.0, -0.5, 3.0], [0.0, 2.0, 0.0, 3.0], [0.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize("dtype", [None, ow.float32])
def test_running_products_with_zeros(dtype):
    """Of each row one element is moved: the difference is exact, as products are linear in it."""
    x, v = ow.tensor(ZEROS, dtype=ow.float64), drawn(1, 4, 4)

    def f(a):
        return a.cumprod(1, dtype=dtype)

    moved = [(f(x + m * v) - f(x)) for m in ow.eye(4, dtype=ow.float64)]
    assert_close(jvp(f, (x,), (v,))[1], sum(moved[1:], moved[0]))
    inplace = jvp(lambda a: (a * 1).cumprod_(1), (x,), (v,))[1]
    assert_close(inplace, jvp(lambda a: a.cumprod(1), (x,), (v,))[1])


def test_second_tangents_of_running_products_with_zeros():
    x, v, w = ow.tensor(ZEROS, dtype=ow.float64), drawn(1, 4, 4), drawn(2, 4, 4)

    def tangent(a):
        return jvp(lambda b: b.cumprod(1), (a,), (v,))[1]

    def product(a):
        return a.cumprod(1)

    # Cubic polynomials in each direction at most: the second difference in both is exact but for h².
    h = 1e-3
    corners = [product(x + h * (s * v + t * w)) * (s * t) for s in (1, -1) for t in (1, -1)]
    want = sum(corners[1:], corners[0]) / (4 * h * h)
    assert_close(jvp(tangent, (x,), (w,))[1], want, rtol=1e-4, atol=1e-4)
    (back,) = vjp(tangent, x)[1](w)
    assert_close((back * w).sum(), (jvp(tangent, (x,), (w,))[1] * w).sum())
