"""Singular values and vectors, and the norms that are made of them, against NumPy and mathematics."""

import numpy as np
import opweave as ow
import pytest
from opweave.autograd import gradcheck, gradgradcheck
from opweave.func import jvp, vmap

SIZES = [(3, 3), (4, 2), (2, 5), (1, 1), (2, 3, 4, 2), (0, 2, 3), (2, 0, 3), (3, 0), (0, 0)]
DISTINCT = [(3, 3), (4, 2), (2, 4), (2, 3, 2)]


def matrices(*sizes, dtype="float64", seed=0):
    return np.random.default_rng(seed).standard_normal(sizes).astype(dtype)


def product(u, s, vh):
    k = s.shape[-1]
    return (u[..., :k] * s[..., None, :]) @ vh[..., :k, :]


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_the_parts_make_the_matrix(sizes, dtype, full):
    a = matrices(*sizes, dtype=dtype)
    near = 1e-5 if dtype == "float32" else 1e-13
    parts = ow.linalg.svd(ow.tensor(a), full_matrices=full)
    u, s, vh = (part.numpy() for part in parts)
    wanted = np.linalg.svd(a, full_matrices=full)
    assert [x.shape for x in (u, s, vh)] == [x.shape for x in wanted]
    assert {x.dtype for x in (u, s, vh)} == {np.dtype(dtype)}
    np.testing.assert_allclose(s, wanted[1], atol=near)
    np.testing.assert_allclose(ow.linalg.svdvals(ow.tensor(a)).numpy(), wanted[1], atol=near)
    np.testing.assert_allclose(product(u, s, vh), a, atol=near)
    for columns in (u, vh.swapaxes(-1, -2)):
        ones = np.broadcast_to(np.eye(columns.shape[-1]), (*sizes[:-2], *columns.shape[-1:] * 2))
        np.testing.assert_allclose(columns.swapaxes(-1, -2) @ columns, ones, atol=near)


@pytest.mark.parametrize("n", [33, 128])
def test_large_matrices_and_large_batches(n):
    a = matrices(n, 2, n, n - 5)
    u, s, vh = (part.numpy() for part in ow.linalg.svd(ow.tensor(a), full_matrices=False))
    np.testing.assert_allclose(s, np.linalg.svd(a, compute_uv=False), rtol=1e-9)
    np.testing.assert_allclose(product(u, s, vh), a, atol=1e-12)


def test_any_layout():
    a = matrices(4, 3, 6, 5)
    t = ow.tensor(a)
    for view, array in (
        (t.transpose(0, 2), a.swapaxes(0, 2)),
        (t[:, 1:, ::2, 1:4], a[:, 1:, ::2, 1:4]),
        (t[0, 0].expand(2, 6, 5), np.stack([a[0, 0]] * 2)),
        (t.transpose(-1, -2), a.swapaxes(-1, -2)),
    ):
        wanted = np.linalg.svd(array, compute_uv=False)
        np.testing.assert_allclose(ow.linalg.svdvals(view).numpy(), wanted)
        np.testing.assert_allclose(product(*ow.linalg.svd(view)).numpy(), array, atol=1e-13)


def test_vectors_lie_in_columns_with_and_without_data():
    for device in ("cpu", "meta"):
        u, s, vh = ow.linalg.svd(ow.ones(2, 4, 3, device=device))
        assert (u.stride(), s.stride(), vh.stride()) == ((16, 1, 4), (3, 1), (9, 1, 3))
        assert (u.shape, s.shape, vh.shape) == ((2, 4, 4), (2, 3), (2, 3, 3))


def test_out_of_any_layout():
    a = ow.tensor(matrices(3, 2))
    wanted = ow.linalg.svd(a)
    outs = ow.zeros(3, 3).double(), ow.zeros(4).double()[::2], ow.zeros(2, 2).double()
    ow.linalg.svd(a, out=outs)
    assert all(out.equal(part) for out, part in zip(outs, wanted, strict=True))


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
@pytest.mark.parametrize("function", [ow.linalg.svd, ow.linalg.svdvals, ow.svd])
def test_what_is_not_finite_is_refused(function, bad):
    text = "The algorithm failed to converge because the input matrix contained non-finite values."
    a = ow.ones(2, 3, 4, 3)
    a[1, 1, 0, 2] = bad
    with pytest.raises(RuntimeError) as caught:
        function(a)
    assert str(caught.value) == f"linalg.svd: (Batch element 4): {text}"
    with pytest.raises(RuntimeError) as caught:
        function(a[1, 1])
    assert str(caught.value) == f"linalg.svd: {text}"


REFUSED = {
    "linalg.svd: The input tensor A must have at least 2 dimensions.": lambda: ow.linalg.svd(
        ow.ones(3)
    ),
    "linalg.svd: input should have at least 2 dimensions, but has 1 dimensions instead": (
        lambda: ow.svd(ow.ones(3))
    ),
    "linalg.svd: Expected a floating point or complex tensor as input. Got Long": (
        lambda: ow.linalg.svd(ow.ones(2, 2).long())
    ),
    "\"linalg_svd_cpu\" not implemented for 'Half'": lambda: ow.linalg.svdvals(
        ow.ones(2, 2).half()
    ),
    "linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend.": (
        lambda: ow.linalg.svd(ow.ones(2, 2), driver="gesvd")
    ),
    "linalg.matrix_norm: Order fra not supported.": lambda: ow.norm(ow.ones(2, 3), "fra"),
    "linalg.matrix_norm: Order 3 not supported.": lambda: ow.linalg.matrix_norm(ow.ones(2, 3), 3),
    "linalg.matrix_norm: dim must be a 2-tuple. Got 0, 1, 2": lambda: ow.norm(
        ow.ones(2, 3, 4), "nuc"
    ),
    "linalg.matrix_norm: dim must be a 2-tuple. Got 1": lambda: ow.norm(ow.ones(2, 3), "nuc", 1),
    "linalg.matrix_norm: dims must be different. Got (1, 1)": lambda: ow.norm(
        ow.ones(2, 3), "nuc", (1, -1)
    ),
    "linalg.matrix_norm: The input tensor A must have at least 2 dimensions.": lambda: ow.norm(
        ow.ones(3), "nuc"
    ),
    "linalg.matrix_norm: Low precision dtypes not supported. Got Half": lambda: ow.norm(
        ow.ones(2, 3).half(), "nuc"
    ),
}


@pytest.mark.parametrize("text", REFUSED)
def test_refusals(text):
    with pytest.raises((RuntimeError, NotImplementedError)) as caught:
        REFUSED[text]()
    assert str(caught.value) == text


@pytest.mark.parametrize("sizes", DISTINCT, ids=str)
@pytest.mark.parametrize(
    "function",
    [
        ow.linalg.svdvals,
        lambda a: ow.linalg.svd(a, full_matrices=False),
        lambda a: ow.linalg.svd(a)[1],
        lambda a: ow.linalg.svd(a)[0][..., : min(a.shape[-2:])].square(),
        lambda a: ow.svd(a)[2],
        lambda a: product(*ow.linalg.svd(a, full_matrices=False)),
        lambda a: ow.norm(a, "nuc", dim=(-1, -2)),
        lambda a: ow.linalg.matrix_norm(a, 2),
        lambda a: ow.linalg.matrix_norm(a, -2, keepdim=True),
    ],
)
def test_gradients(function, sizes):
    a = ow.tensor(matrices(*sizes, seed=3), requires_grad=True)
    assert gradcheck(function, (a,), check_forward_ad=True)
    assert gradgradcheck(function, (a,))


def test_the_gradient_of_equal_singular_values_is_finite():
    a = ow.eye(3, requires_grad=True)
    ow.linalg.svdvals(a).sum().backward()
    assert a.grad.equal(ow.eye(3))
    a.grad = None
    ow.linalg.svd(a)[1].sum().backward()
    assert a.grad.equal(ow.eye(3))


def test_vectors_of_no_singular_value_have_no_gradient():
    a = ow.tensor(matrices(4, 2), requires_grad=True)
    ow.linalg.svd(a)[0][:, 2:].sum().backward()
    assert not a.grad.any()
    tangents = jvp(ow.linalg.svd, (a.detach(),), (ow.ones_like(a.detach()),))[1]
    assert not tangents[0][:, 2:].any()
    assert tangents[0][:, :2].any()


def test_batches():
    a = ow.tensor(matrices(3, 2, 4))
    for function in (ow.linalg.svd, ow.svd):
        assert all(x.equal(y) for x, y in zip(vmap(function)(a), function(a), strict=True))
    assert vmap(lambda x: ow.norm(x, "nuc"))(a).allclose(ow.norm(a, "nuc", (1, 2)))
    assert vmap(ow.linalg.svdvals, in_dims=2)(a).allclose(ow.linalg.svdvals(a.movedim(2, 0)))


@pytest.mark.parametrize("order", ["nuc", "fro", 2, -2, 1, -1, float("inf"), float("-inf")])
def test_matrix_norms_are_those_of_numpy(order):
    a = matrices(3, 4, 2)
    t = ow.tensor(a)
    for dim in ((-2, -1), (0, 1), (2, 0)):
        for keepdim in (False, True):
            found = ow.linalg.matrix_norm(t, order, dim, keepdim)
            wanted = np.linalg.norm(a, order, dim, keepdim)
            assert found.shape == wanted.shape
            np.testing.assert_allclose(found.numpy(), wanted)


def test_nuclear_norms_of_functions_and_methods():
    a = matrices(3, 4)
    wanted = np.linalg.norm(a, "nuc")
    t = ow.tensor(a)
    for found in (ow.norm(t, "nuc"), t.norm("nuc"), ow.norm(t, p="nuc", dim=(1, 0))):
        assert found.item() == pytest.approx(wanted)
    assert ow.norm(t.float(), "nuc", dtype=ow.float64).dtype == ow.float64
    out = ow.empty(0, dtype=ow.float64)
    assert ow.norm(t, "nuc", keepdim=True, out=out) is out
    assert out.shape == (1, 1)
    assert ow.norm(ow.ones(2, 0, 3), "nuc", (1, 2)).tolist() == [0, 0]
