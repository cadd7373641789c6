"""Forward-mode differentiation: jvp() alone, nested and composed, in-place writes, views, levels."""

import gc
import weakref

import numpy as np
import opweave as ow
import pytest
from opweave import _C
from opweave.autograd import forward_ad as fwAD
from opweave.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap


def close(got, want, tolerance=1e-10):
    assert tuple(got.shape) == tuple(want.shape)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(
        got.detach().numpy(), want.detach().numpy(), rtol=tolerance, atol=tolerance
    )


def by_backward(f, primals, tangents):
    """The same by two backward passes."""
    value, pull = vjp(f, *primals)
    _, push = vjp(pull, ow.zeros_like(value))
    (pushed,) = push(tuple(tangents))
    return pushed


@pytest.fixture
def x():
    ow.manual_seed(1)
    return ow.randn(4, 3, dtype=ow.float64)


@pytest.fixture
def v():
    ow.manual_seed(2)
    return ow.randn(4, 3, dtype=ow.float64)


# --- one level ------------------------------------------------------------------------------------


def test_value_and_tangent(x, v):
    value, tangent = jvp(ow.sin, (x,), (v,))
    close(value, x.sin())
    close(tangent, x.cos() * v)


def test_tangents_of_some_arguments_only(x, v):
    y = x + 1
    close(jvp(lambda a: a * y, (x,), (v,))[1], v * y)
    close(jvp(lambda a: y / a, (x,), (v,))[1], -y / x**2 * v)


def test_several_inputs_and_outputs(x, v):
    def f(a, b):
        return {"product": a * b, "sum": a.sum(0) + b}

    value, tangent = jvp(f, (x, x + 1), (v, 2 * v))
    close(value["product"], x * (x + 1))
    close(tangent["product"], v * (x + 1) + x * 2 * v)
    close(tangent["sum"], v.sum(0) + 2 * v)


def test_broadcast_and_promotion(x, v):
    row, row_v = x[0].float(), v[0].float()
    value, tangent = jvp(lambda r: r + ow.zeros(4, 3, dtype=ow.float64), (row,), (row_v,))
    close(value, row.double().expand(4, 3))
    close(tangent, row_v.double().expand(4, 3))


def test_an_output_that_does_not_depend_has_zeros(x, v):
    _, tangent = jvp(lambda a: ow.ones(2), (x,), (v,))
    close(tangent, ow.zeros(2))
    with pytest.raises(RuntimeError, match="independent of the inputs"):
        jvp(lambda a: ow.ones(2), (x,), (v,), strict=True)


def test_integers_have_no_tangent(x, v):
    (_, indices), (tangent, zeros) = jvp(lambda a: a.sort(0), (x,), (v,))
    close(tangent, v.gather(0, indices))
    assert zeros.dtype == ow.int64
    assert not zeros.any()


def test_aux_is_plain(x, v):
    _, _, aux = jvp(lambda a: (a.sum(), a * 2), (x,), (v,), has_aux=True)
    close(aux, x * 2)


def test_detach_in_place_cuts_as_well(x, v):
    def f(x):
        y = x * 2
        return y.detach_() * x

    close(jvp(f, (x,), (v,))[1], 2 * x * v)
    close(vmap(lambda x, v: jvp(f, (x,), (v,))[1])(x, v), 2 * x * v)
    close(jacfwd(lambda x: f(x).sum())(x), 2 * x)


def test_detach_cuts_and_no_grad_does_not(x, v):
    close(jvp(lambda a: a.detach() * a, (x,), (v,))[1], x * v)
    with ow.no_grad():
        close(jvp(lambda a: a * a, (x,), (v,))[1], 2 * x * v)

    def quiet(a):
        with ow.no_grad():
            return a * a

    close(jvp(quiet, (x,), (v,))[1], 2 * x * v)


def test_captured_tensors_that_require_grad(x, v):
    w = ow.ones(3, dtype=ow.float64, requires_grad=True)
    _, tangent = jvp(lambda a: (a * w).sin(), (x,), (v,))
    (got,) = ow.autograd.grad(tangent.sum(), w)
    weights = w.detach().requires_grad_()
    (want,) = ow.autograd.grad(((x * weights).cos() * v * weights).sum(), weights)
    close(got, want)


def test_lists_of_tensors(x, v):
    close(jvp(lambda a: ow.cat([a, x, a * 2]), (x,), (v,))[1], ow.cat([v, v * 0, v * 2]))
    close(jvp(lambda a: ow.stack([x, a.sin()]), (x,), (v,))[1], ow.stack([v * 0, x.cos() * v]))
    close(jvp(lambda a: a.split(2)[1] * a.unbind(0)[0], (x,), (v,))[1], v[2:] * x[0] + x[2:] * v[0])


def test_indexing(x, v):
    where = ow.tensor([3, 0])
    close(jvp(lambda a: a[where, 1:], (x,), (v,))[1], v[where, 1:])
    close(jvp(lambda a: a[a > 0], (x,), (v,))[1], v[x > 0])


def test_another_dtype_and_back(x, v):
    close(jvp(lambda a: a.float().double(), (x,), (v,))[1], v.float().double())


def test_operators_without_a_rule_go_backwards_twice(x, v):
    close(
        jvp(lambda a: a.cumprod(0), (x,), (v,))[1], by_backward(lambda a: a.cumprod(0), (x,), (v,))
    )


# --- views and writes -----------------------------------------------------------------------------


def test_in_place_operators(x, v):
    def f(a):
        b = a.clone()
        b.mul_(a).add_(1).sin_()
        return b

    close(jvp(f, (x,), (v,))[1], (x * x + 1).cos() * 2 * x * v)


def test_write_through_a_view(x, v):
    def f(a):
        b = a * 1
        b[1].mul_(3)
        b.t()[0] = 0
        return b * a

    def by_hand(a, d):
        scale = ow.ones_like(a)
        scale[1] = 3
        scale[:, 0] = 0
        return 2 * a * d * scale

    close(jvp(f, (x,), (v,))[1], by_hand(x, v))


def test_a_view_sees_a_write_to_its_base(x, v):
    def f(a):
        b = a * 1
        view = b.view(-1)
        b.mul_(a)
        return view

    close(jvp(f, (x,), (v,))[1], (2 * x * v).view(-1))


def test_a_plain_tensor_receives_a_tangent(x, v):
    def f(a):
        whole = ow.zeros(5, 3, dtype=ow.float64)
        whole[1:].copy_(a.sin())
        whole[0] = a[0]
        return whole

    want = ow.cat([v[:1], x.cos() * v])
    close(jvp(f, (x,), (v,))[1], want)


def test_a_view_from_before_sees_what_its_base_receives(x, v):
    def f(a):
        whole = ow.zeros(4, 3, dtype=ow.float64)
        view, other = whole.view(-1), whole[1]
        whole.t()[:2] = a.t()[:2].sin()
        return view * 2, other

    want = x.cos() * v
    want[:, 2] = 0
    (doubled, row) = jvp(f, (x,), (v,))[1]
    close(doubled, 2 * want.view(-1))
    close(row, want[1])


def test_overwriting_drops_the_tangent(x, v):
    def f(a):
        b = a * 2
        b.fill_(1)
        c = a * 2
        c[0].zero_()
        return b * a + c

    want = v + 2 * v
    want[0] = v[0]
    close(jvp(f, (x,), (v,))[1], want)


def test_writes_do_not_reach_other_tangents(x, v):
    def f(a):
        b = a + 1  # its tangent equals that of a
        b.mul_(2)
        return b + a

    close(jvp(f, (x,), (v,))[1], 3 * v)


def test_the_tangent_may_lie_otherwise_in_memory(x, v):
    def f(a):
        b = a.view(-1)
        b.mul_(a.reshape(-1))
        return a * 1

    laid_out = v.t().contiguous().t()
    close(jvp(lambda a: f(a * 1), (x,), (laid_out,))[1], 2 * x * v)
    close(jvp(lambda a: a.as_strided((2, 2), (3, 1), 1), (x,), (laid_out,))[1], v[:2, 1:])


def test_transposed_in_place(x, v):
    def f(a):
        b = a * a
        b.t_()
        return b.unsqueeze_(0)

    close(jvp(f, (x,), (v,))[1], (2 * x * v).t().unsqueeze(0))


def test_out_is_refused(x, v):
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        jvp(lambda a: ow.sin(a, out=ow.empty(4, 3, dtype=ow.float64)), (x,), (v,))


# --- nested ---------------------------------------------------------------------------------------


def test_jvp_of_jvp(x, v):
    def first(a):
        return jvp(lambda b: b**3 * a, (a,), (v,))[1]

    # (3 a^2 a) v, whose derivative is 9 a^2 v
    close(jvp(first, (x,), (v,))[1], 9 * x**2 * v * v)


def test_levels_are_not_confused(x, v):
    # The inner derivative by b of a * b is a, whatever a depends on.
    def outer(a):
        return a * jvp(lambda b: a + b, (a,), (ow.ones_like(a),))[1]

    close(jvp(outer, (x,), (v,))[1], v)


def test_jvp_of_grad_is_a_product_with_the_hessian(x, v):
    def f(a):
        return (a.exp() * a.sum(0)).sum()

    _, got = jvp(grad(f), (x,), (v,))
    want = (hessian(f)(x) * v).sum((2, 3))
    close(got, want)


def test_grad_of_jvp(x, v):
    def along(a):
        return jvp(lambda b: (b**3).sum(), (a,), (v,))[1]

    close(grad(along)(x), 6 * x * v)
    close(grad(lambda d: jvp(lambda b: (b**3).sum(), (x,), (d,))[1])(v), 3 * x**2)


def test_backward_through_jvp(x, v):
    leaf = x.clone().requires_grad_()
    _, tangent = jvp(lambda a: a.sin() * leaf, (leaf,), (v,))
    tangent.sum().backward()
    other = x.clone().requires_grad_()
    (other.cos() * v * other).sum().backward()
    close(leaf.grad, other.grad)


def test_vmap_of_jvp_is_a_loop(x, v):
    def f(a, d):
        return jvp(lambda b: b.softmax(0) * b.prod(), (a,), (d,))[1]

    close(vmap(f)(x, v), ow.stack([f(a, d) for a, d in zip(x, v)]))
    close(vmap(f, in_dims=(None, 0))(x[0], v), ow.stack([f(x[0], d) for d in v]))
    close(vmap(f, in_dims=(0, None))(x, v[0]), ow.stack([f(a, v[0]) for a in x]))


def test_jvp_of_vmap(x, v):
    f = vmap(lambda row: row.softmax(0) * row.sum())
    close(jvp(f, (x,), (v,))[1], by_backward(f, (x,), (v,)))


def test_vmap_of_jvp_of_vmap_of_grad(x, v):
    def energy(a):
        return (a.sin() * a.sum()).sum()

    def pushed(d):
        return jvp(vmap(grad(energy)), (x,), (d,))[1]

    directions = ow.stack([v, v * 2, v.exp()])
    want = ow.stack([pushed(d) for d in directions])
    close(vmap(pushed)(directions), want)
    close(pushed(v), by_backward(vmap(grad(energy)), (x,), (v,)))


def test_jacobians_agree(x):
    def f(a):
        return (a @ a.t()).sin().sum(1)

    close(jacfwd(f)(x), jacrev(f)(x))


def test_second_derivatives_agree(x):
    def f(a):
        return (a.log_softmax(1) * a).sum().sin()

    want = jacrev(jacrev(f))(x)
    close(hessian(f)(x), want)
    close(jacfwd(jacfwd(f))(x), want)
    close(jacrev(jacfwd(f))(x), want)


def test_vmap_of_hessian_is_a_loop(x):
    f = hessian(lambda row: row.exp().sum() ** 2)
    close(vmap(f)(x), ow.stack([f(row) for row in x]))


def test_results_that_are_saved_have_tangents():
    # exp, tanh and softmax save their results for the backward pass.
    z = ow.tensor([0.3, -0.2, 1.1], dtype=ow.float64)
    d = ow.tensor([1.0, 0.5, -2.0], dtype=ow.float64)

    def f(a):
        return (a.exp().tanh().softmax(0) ** 2).sum()

    close(jvp(grad(f), (z,), (d,))[1], jacrev(jacrev(f))(z) @ d)


# --- levels ---------------------------------------------------------------------------------------


def test_tangents_go_with_their_level(x, v):
    kept = []

    def f(a):
        kept.append(a.sin())
        return a

    jvp(f, (x,), (v,))
    close(jvp(lambda a: a * kept[0], (x,), (v,))[1], v * x.sin())
    close(kept[0] * 2, x.sin() * 2)
    assert _C._forward_depth() == 0


def test_dead_tensors_free_their_tangents(x, v):
    counts = []

    def f(a):
        for _ in range(1000):
            a = a.sin()
        counts.append(_C._tangent_carriers(1))
        return a

    jvp(f, (x,), (v,))
    assert counts[0] <= 4


def test_circles_are_freed(x, v):
    leaf = x.clone().requires_grad_()
    seen = []

    def f(a):
        y = a.exp()  # its node saves y, whose tangent has y's history
        seen.append(weakref.ref(y))
        return y.sum()

    jvp(f, (leaf,), (v,))
    gc.collect()
    assert seen[0]() is None


def test_an_error_closes_the_level(x, v):
    def f(a):
        raise KeyError("no")

    with pytest.raises(KeyError):
        jvp(f, (x,), (v,))
    assert _C._forward_depth() == 0
    close(jvp(ow.sin, (x,), (v,))[1], x.cos() * v)


# --- opweave.autograd ------------------------------------------------------------------------------


def test_dual_level(x, v):
    with fwAD.dual_level():
        dual = fwAD.make_dual(x, v)
        primal, tangent = fwAD.unpack_dual(dual.sin())
        close(primal, x.sin())
        close(tangent, x.cos() * v)
        assert fwAD.unpack_dual(primal).tangent is None
        assert fwAD.unpack_dual(x).tangent is None
    assert fwAD.unpack_dual(dual).tangent is None


def test_nested_dual_levels(x, v):
    with fwAD.dual_level() as outer:
        a = fwAD.make_dual(x, v)
        with fwAD.dual_level():
            inner = fwAD.unpack_dual(fwAD.make_dual(a, v) ** 3).tangent
        close(fwAD.unpack_dual(inner, level=outer).tangent, 6 * x * v * v)


def test_backward_through_a_dual_level(x, v):
    leaf = x.clone().requires_grad_()
    with fwAD.dual_level():
        tangent = fwAD.unpack_dual((fwAD.make_dual(leaf, v) ** 3).sum()).tangent
        (got,) = ow.autograd.grad(tangent, leaf)
    close(got, 6 * x * v)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: fwAD.make_dual(ow.ones(2), ow.ones(2)), RuntimeError, "no level exists"),
        (lambda: fwAD.exit_dual_level(), RuntimeError, "no level to leave"),
        (lambda: dual(ow.ones(2), ow.ones(3)), RuntimeError, r"size \[2\] while .* \[3\]"),
        (lambda: dual(ow.ones(2), ow.ones(2).double()), RuntimeError, "same dtype"),
        (lambda: dual(ow.ones(2).long(), ow.ones(2)), ValueError, "Expected primal to be floating"),
    ],
)
def test_what_no_dual_tensor_is_made_of(call, error, message):
    with pytest.raises(error, match=message):
        call()


def dual(primal, tangent):
    with fwAD.dual_level():
        return fwAD.make_dual(primal, tangent)
