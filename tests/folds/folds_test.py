"""Operators that fold: values beside NumPy in float64, in every layout, dtype and way of computing; gradients
of first and second order; what is refused."""

from typing import Any

import fold_ops
import numpy as np
import opweave as ow
import pytest
from opweave.autograd import gradcheck, gradgradcheck

Array = np.ndarray[Any, Any]
DTYPES = {"float64": 1e-12, "float32": 2e-5, "bfloat16": 4e-2, "float16": 6e-3}


def softmax(x: Array, dim: int) -> Array:
    e = np.exp(x - x.max(dim, keepdims=True))
    return e / e.sum(dim, keepdims=True)


def add_rms_norm(
    x: Array, r: Array, shape: list[int], w: Array | None, eps: float = 1e-6
) -> tuple[Array, ...]:
    axes = tuple(range(-len(shape), 0))
    h = x + r
    s = 1 / np.sqrt((h * h).mean(axes, keepdims=True) + eps)
    return h * s * (1 if w is None else w), h, s.reshape(x.shape[: x.ndim - len(shape)])


def row_norm(
    x: Array, w: Array | None, b: Array | None, dim: int, eps: float = 1e-5
) -> tuple[Array, ...]:
    m = x.mean(dim, keepdims=True)
    s = 1 / np.sqrt(x.var(dim, keepdims=True) + eps)
    along = [1] * x.ndim
    along[dim] = -1
    y = (x - m) * s * (1 if w is None else w.reshape(along)) + (
        0 if b is None else b.reshape(along)
    )
    return y, m.squeeze(dim), s.squeeze(dim)


def drawn(shape: tuple[int, ...], seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(size=shape)


def close(found: ow.Tensor, wanted: Array, precision: float) -> None:
    assert tuple(found.shape) == wanted.shape
    scale = max(1.0, float(np.abs(wanted).max(initial=0)))
    np.testing.assert_allclose(found.double().numpy(), wanted, precision, precision * scale)


def rounded(x: Array, dtype: str) -> tuple[ow.Tensor, Array]:
    t = ow.tensor(x).to(getattr(ow, dtype))
    return t, t.double().numpy()


# Rows, columns, between; short and long; one element and none.
SHAPES = [
    (2, 3),
    (1, 1),
    (5, 1),
    (1, 7),
    (0, 4),
    (4, 70),
    (70, 4),
    (3, 5000),
    (5000, 3),
    (6, 5, 8),
    (300, 200),
    (40, 17),
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_softmax(shape: tuple[int, ...], dtype: str) -> None:
    t, x = rounded(3 * drawn(shape), dtype)
    for dim in range(len(shape)):
        if shape[dim] == 0:
            continue
        close(fold_ops.row_softmax(t, dim), softmax(x, dim), DTYPES[dtype])
        turned = (
            ow.tensor(np.ascontiguousarray(x.T)).to(t.dtype).permute(*reversed(range(len(shape))))
        )
        close(fold_ops.row_softmax(turned, dim), softmax(x, dim), DTYPES[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize(
    ("shape", "last"), [((2, 3), 1), ((4, 2, 3), 2), ((3, 700), 1), ((900, 5), 1), ((2, 1), 1)]
)
def test_add_rms_norm(shape: tuple[int, ...], last: int, weighted: bool, dtype: str) -> None:
    t, x = rounded(drawn(shape), dtype)
    u, r = rounded(drawn(shape, 1), dtype)
    sizes = list(shape[len(shape) - last :])
    v, w = rounded(drawn(tuple(sizes), 2), dtype)
    found = fold_ops.add_rms_norm(t, u, sizes, v if weighted else None)
    for f, e in zip(found, add_rms_norm(x, r, sizes, w if weighted else None), strict=True):
        assert f.dtype == t.dtype
        close(f, e, DTYPES[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(2, 3), (60, 5), (5, 60), (4, 3, 6), (3, 2000), (2000, 3)])
def test_row_norm(shape: tuple[int, ...], dtype: str) -> None:
    t, x = rounded(drawn(shape) + 3, dtype)
    for dim in range(len(shape)):
        v, w = rounded(drawn((shape[dim],), 1), dtype)
        b, c = rounded(drawn((shape[dim],), 2), dtype)
        for weight, bias in [(v, b), (v, None), (None, None)]:
            found = fold_ops.row_norm(t, weight, bias, dim)
            wanted = row_norm(x, None if weight is None else w, None if bias is None else c, dim)
            for f, e in zip(found, wanted, strict=True):
                close(f, e, DTYPES[dtype])


def test_dims() -> None:
    x = drawn((3, 4, 5))
    t = ow.tensor(x)
    for dim in ([0], [1], [2], [0, 1], [0, 2], [1, 2], [-1, 0], [0, 1, 2], [], None):
        axes = tuple(dim) if dim else None
        for keepdim in (True, False):
            wanted = x.max(axis=axes, keepdims=keepdim) - x.min(axis=axes, keepdims=keepdim)
            close(fold_ops.spread(t, dim, keepdim), np.asarray(wanted), 0)
    assert ow.equal(t.spread([1]), fold_ops.spread(t, [1]))
    close(fold_ops.fraction_above(t, [0, 2], threshold=0.25), (x > 0.25).mean((0, 2)), 1e-12)
    close(
        fold_ops.channel_scale(t, t[0, :, 0]),
        x * x[0, :, :1] / np.sqrt(((x * x[0, :, :1]) ** 2).sum(1, keepdims=True) + 1),
        1e-12,
    )


def test_integers() -> None:
    t = ow.tensor([[3, 1, 2], [9, 7, 9]])
    assert fold_ops.spread(t, [1]).tolist() == [2, 2]
    assert fold_ops.spread(t, [1]).dtype == ow.int64
    assert fold_ops.row_product(t, 0).tolist() == [27, 7, 18]
    assert fold_ops.row_softmax(t, 1).dtype == ow.float32
    assert fold_ops.geometric_mean(t.to(ow.int8), [0]).dtype == ow.float32


def first_above(x: Array, threshold: float, dim: int) -> Array:
    above = x > threshold
    return np.where(above.any(dim), above.argmax(dim), x.shape[dim])


@pytest.mark.parametrize("dtype", [*DTYPES, "int64", "uint8"])
@pytest.mark.parametrize("shape", SHAPES)
def test_places(shape: tuple[int, ...], dtype: str) -> None:
    """Where elements lie, however they lie in memory: whole numbers, whatever the elements are."""
    t, x = rounded(np.abs(3 * drawn(shape)), dtype)
    for dim in range(len(shape)):
        if shape[dim] == 0:
            assert (fold_ops.first_above(t, 2, dim) == 0).all()
            continue
        found = fold_ops.first_above(t, 2, dim)
        assert found.dtype == ow.int64
        assert found.tolist() == first_above(x, 2, dim).tolist()
        values, indices = fold_ops.largest_of(t, dim)
        assert indices.tolist() == x.argmax(dim).tolist()
        assert values.dtype == t.dtype
        assert values.tolist() == x.max(dim).tolist()
        turned = t.permute(*reversed(range(len(shape)))).contiguous()
        turned = turned.permute(*reversed(range(len(shape))))
        assert fold_ops.first_above(turned, 2, dim).tolist() == found.tolist()
        assert fold_ops.largest_of(turned, dim)[1].tolist() == indices.tolist()


def test_places_of_equal_extremes_and_of_nan() -> None:
    inf, nan = float("inf"), float("nan")
    t = ow.tensor([[1.0, nan, 2.0, nan], [3.0, 0.0, 3.0, 0.0], [-inf] * 4, [inf, 1.0, inf, 1.0]])
    for x in (t, t.t().contiguous().t(), t.double()):
        assert fold_ops.largest_of(x)[1].tolist() == [1, 0, 0, 0]
        assert fold_ops.place_of_least(x, [1]).tolist() == [1, 1, 0, 1]
    assert fold_ops.place_of_least(t[1:]).item() == 4
    x = np.round(drawn((3, 4, 5)) * 2)
    for dim in ([0], [0, 2], [1, 2]):
        rest = [d for d in range(3) if d not in dim]
        rows = x.transpose(*rest, *dim).reshape(*(x.shape[d] for d in rest), -1)
        assert fold_ops.place_of_least(ow.tensor(x), dim).tolist() == rows.argmin(-1).tolist()


def test_places_of_several_dimensions() -> None:
    x = np.abs(drawn((3, 4, 5))) + 0.1
    for order in ((0, 1, 2), (2, 0, 1), (1, 2, 0)):
        t = ow.tensor(np.ascontiguousarray(x.transpose(order)))
        t = t.permute(*(order.index(d) for d in range(3)))
        for dim in ([0], [1, 2], [0, 2], [0, 1], None):
            axes = tuple(dim) if dim else (0, 1, 2)
            places = np.arange(np.prod([x.shape[d] for d in axes])).reshape(
                [n if d in axes else 1 for d, n in enumerate(x.shape)]
            )
            wanted = (x * places).sum(axes) / x.sum(axes)
            close(fold_ops.center_of_mass(t, dim), np.asarray(wanted), 1e-12)


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (5, 3), (2, 3, 4), (4, 33, 70), (2, 0, 3)])
def test_coordinates_of_what_is_kept(shape: tuple[int, ...]) -> None:
    x = drawn(shape)
    i, j = np.arange(shape[-2])[:, None], np.arange(shape[-1])
    for t in (
        ow.tensor(x),
        ow.tensor(np.ascontiguousarray(x.swapaxes(-1, -2))).transpose(-1, -2),
        ow.tensor(np.ascontiguousarray(x.swapaxes(0, -1))).transpose(0, -1),
    ):
        for diagonal in (-2, 0, 1):
            close(fold_ops.lower_triangle(t, diagonal), np.tril(x, diagonal), 0)
        masked = np.where(j <= i, x, -np.inf)
        if x.size:
            close(fold_ops.causal_softmax(t), softmax(masked, -1), 1e-12)
            turned = fold_ops.causal_softmax(t.transpose(-1, -2), -1, -2)
            close(turned, softmax(masked, -1).swapaxes(-1, -2), 1e-12)
        near = np.abs(j - i) <= 1
        total, row, last = fold_ops.near_diagonal(t)
        close(total, np.where(near, x, 0).sum(-1), 1e-12)
        assert row.tolist() == np.broadcast_to(i[:, 0], total.shape).tolist()
        assert row.dtype == last.dtype == ow.int64
        wanted = np.where(near, j, -1).max(-1, initial=-1)
        assert last.tolist() == np.broadcast_to(wanted, total.shape).tolist()
    narrow = ow.tensor(x, dtype=ow.bfloat16)
    assert ow.equal(fold_ops.lower_triangle(narrow), narrow.tril())
    whole = ow.arange(6).reshape(2, 3) + (1 << 60)
    assert ow.equal(fold_ops.lower_triangle(whole), whole.tril())


def test_places_that_no_float32_has() -> None:
    """Beyond 2^24 they are computed in float64."""
    last = (1 << 24) + 1
    t = ow.zeros(last + 2)
    t[last] = 1
    assert fold_ops.first_above(t).item() == last
    assert fold_ops.center_of_mass(t).dtype == ow.float32
    assert fold_ops.first_above(t.zero_()).item() == last + 2


def test_axes_that_are_no_dimensions() -> None:
    x = ow.ones(2, 3)
    with pytest.raises(IndexError):
        fold_ops.lower_triangle(ow.ones(3))
    with pytest.raises(IndexError):
        fold_ops.causal_softmax(x, 2, 1)
    with pytest.raises(
        RuntimeError,
        match=r"causal_softmax\(\): the axis 'q' is dimension 1, which is another axis already",
    ):
        fold_ops.causal_softmax(x, 1, 1)


def test_extremes() -> None:
    inf, nan = float("inf"), float("nan")
    t = ow.tensor([[1.0, nan, 2.0], [inf, 0.0, 1.0], [-inf, -inf, -inf]])
    found = fold_ops.spread(t, [1])
    assert found[0].isnan()
    assert found[1].item() == inf
    assert fold_ops.row_softmax(t, 1)[0].isnan().all()
    assert fold_ops.geometric_mean(ow.ones(2, 0), [1]).isnan().all()
    assert fold_ops.row_product(ow.ones(2, 0), 1).tolist() == [1, 1]
    assert fold_ops.spread(ow.ones(2, 0), [1]).tolist() == [-inf, -inf]


@pytest.mark.parametrize("size", [3, 65])
def test_many_dimensions_that_do_not_join(size: int) -> None:
    """Of rows of any length: one operand lies in the reverse order of the other."""
    kept = [2] * 17
    x = ow.randn(*kept, size, generator=ow.Generator().manual_seed(1))
    r = x.permute([*reversed(range(17)), 17])
    found = fold_ops.add_rms_norm(x, r, [size])
    wanted = add_rms_norm(x.numpy().astype(np.float64), r.numpy().astype(np.float64), [size], None)
    for f, w in zip(found, wanted, strict=True):
        np.testing.assert_allclose(f.numpy(), w, 2e-5, 2e-4)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_sums_over_all_rows(shape: tuple[int, ...], dtype: str) -> None:
    t, x = rounded(drawn(shape), dtype)
    for dim in range(len(shape)):
        w, weight = rounded(drawn((shape[dim],), 1), dtype)
        along = [1] * x.ndim
        along[dim] = -1
        length = np.sqrt(1 + np.square(x).sum(dim, keepdims=True))
        scaled = x * weight.reshape(along) / length
        found = fold_ops.scaled_rows(t, w, dim)
        close(found.scaled, scaled, DTYPES[dtype])
        rows = tuple(d for d in range(x.ndim) if d != dim)
        close(found.totals, np.square(scaled).sum(rows), DTYPES[dtype])


def leaf(shape: tuple[int, ...], seed: int, positive: bool = False) -> ow.Tensor:
    x = drawn(shape, seed)
    return ow.tensor(np.abs(x) + 0.3 if positive else x, requires_grad=True)


CALLS: dict[str, tuple[Any, tuple[ow.Tensor, ...]]] = {
    "row_softmax": (lambda x: fold_ops.row_softmax(x, 1), (leaf((3, 4), 0),)),
    "row_softmax of columns": (lambda x: fold_ops.row_softmax(x, 0), (leaf((3, 4), 0),)),
    "add_rms_norm": (
        lambda x, r, w: fold_ops.add_rms_norm(x, r, [4], w, 0.1),
        (leaf((3, 4), 0), leaf((3, 4), 1), leaf((4,), 2)),
    ),
    "add_rms_norm of two dims": (
        lambda x, r, w: fold_ops.add_rms_norm(x, r, [2, 3], w, 0.1)[0],
        (leaf((2, 2, 3), 0), leaf((2, 2, 3), 1), leaf((2, 3), 2)),
    ),
    "add_rms_norm without weight": (
        lambda x, r: fold_ops.add_rms_norm(x, r, [4], None, 0.1),
        (leaf((3, 4), 0), leaf((3, 4), 1)),
    ),
    "row_norm": (
        lambda x, w, b: fold_ops.row_norm(x, w, b, 1),
        (leaf((3, 4), 0), leaf((4,), 1), leaf((4,), 2)),
    ),
    "row_norm of columns": (
        lambda x, w, b: fold_ops.row_norm(x, w, b, 0)[0],
        (leaf((3, 4), 0), leaf((3,), 1), leaf((3,), 2)),
    ),
    "row_norm of the bias": (
        lambda b: fold_ops.row_norm(leaf((3, 4), 0).detach(), None, b, 1),
        (leaf((4,), 2),),
    ),
    "spread": (lambda x: fold_ops.spread(x, [0, 2], True), (leaf((2, 3, 2), 0),)),
    "spread of all": (fold_ops.spread, (leaf((2, 3), 0),)),
    "geometric_mean": (lambda x: fold_ops.geometric_mean(x, [1]), (leaf((3, 4), 0, True),)),
    "weighted_variance": (
        lambda x, w: fold_ops.weighted_variance(x, w, 1),
        (leaf((3, 4), 0), leaf((4,), 1, True)),
    ),
    "entropy": (fold_ops.entropy, (leaf((3, 4), 0),)),
    "shifted_loss": (fold_ops.shifted_loss, (leaf((3, 4), 0), leaf((3, 4), 1), leaf((), 2))),
    "standard_score": (lambda x: fold_ops.standard_score(x, [1]), (leaf((3, 4), 0),)),
    "row_product": (lambda x: fold_ops.row_product(x, 1), (leaf((3, 4), 0),)),
    "largest_of": (lambda x: fold_ops.largest_of(x, 1)[0], (leaf((3, 4), 0),)),
    "center_of_mass": (lambda x: fold_ops.center_of_mass(x, [0, 2]), (leaf((2, 3, 2), 0, True),)),
    "lower_triangle": (fold_ops.lower_triangle, (leaf((2, 3, 4), 0),)),
    "decayed": (lambda x, r: fold_ops.decayed(x, r, 1), (leaf((3, 4), 0), leaf((3,), 1, True))),
    "decayed of columns": (
        lambda x, r: fold_ops.decayed(x, r, 0),
        (leaf((3, 4), 0), leaf((4,), 1, True)),
    ),
    "causal_softmax": (fold_ops.causal_softmax, (leaf((2, 3, 4), 0),)),
    "near_diagonal": (lambda x: fold_ops.near_diagonal(x)[0], (leaf((3, 4), 0),)),
    "scaled_rows": (
        lambda x, w: fold_ops.scaled_rows(x, w, 1),
        (leaf((3, 4), 0), leaf((4,), 1)),
    ),
    "totals of columns": (
        lambda x, w: fold_ops.scaled_rows(x, w, 0)[1],
        (leaf((4, 2, 3), 0), leaf((4,), 1)),
    ),
    "channel_scale": (fold_ops.channel_scale, (leaf((2, 3, 2), 0), leaf((3,), 1))),
}


@pytest.mark.parametrize("name", CALLS)
def test_gradients(name: str) -> None:
    function, arguments = CALLS[name]
    assert gradcheck(function, arguments)


@pytest.mark.parametrize("name", CALLS)
def test_second_gradients(name: str) -> None:
    function, arguments = CALLS[name]
    if name == "weighted_variance":  # rows would have to know sums over all rows
        first = ow.autograd.grad(function(*arguments)[0].sum(), arguments, create_graph=True)
        with pytest.raises(NotImplementedError, match="weighted_variance_backward"):
            first[1].sum().backward()
        return
    assert gradgradcheck(function, arguments)


def test_gradients_of_equal_extremes_and_of_zeros() -> None:
    x = ow.tensor([[1.0, 3.0, 3.0, 0.0]], requires_grad=True)
    fold_ops.spread(x, [1]).backward()
    assert x.grad is not None
    assert x.grad.tolist() == [[0.0, 0.5, 0.5, -1.0]]
    y = ow.tensor([[2.0, 0.0, 3.0], [0.0, 0.0, 3.0]], requires_grad=True)
    fold_ops.row_product(y, 1).sum().backward()
    assert y.grad is not None
    assert y.grad.tolist() == [[0.0, 6.0, 0.0], [0.0, 0.0, 0.0]]


def test_places_have_no_gradient() -> None:
    x = ow.tensor([[1.0, 3.0]], requires_grad=True)
    assert not fold_ops.first_above(x, 2).requires_grad
    values, indices = fold_ops.largest_of(x)
    assert values.requires_grad
    assert not indices.requires_grad
    total, row, last = fold_ops.near_diagonal(x)
    assert total.requires_grad
    assert not row.requires_grad
    assert not last.requires_grad


def test_long_rows_and_many_rows() -> None:
    """Gradients of weights are sums over rows, whatever the threads."""
    x = ow.tensor(drawn((5000, 6)), dtype=ow.float32)
    w = ow.ones(6, requires_grad=True)
    grads = []
    threads = ow.get_num_threads()
    for n in (1, 2):
        ow.set_num_threads(n)
        w.grad = None
        fold_ops.add_rms_norm(x, x, [6], w)[0].sum().backward()
        assert w.grad is not None
        grads.append(w.grad.clone())
    ow.set_num_threads(threads)
    assert ow.equal(*grads)
    wanted = add_rms_norm(x.double().numpy(), x.double().numpy(), [6], None)[0].sum(0)
    close(grads[0], wanted, 1e-5)


def test_sizes_that_do_not_fit() -> None:
    x = ow.ones(2, 3)
    with pytest.raises(
        RuntimeError, match=r"add_rms_norm\(\): expected 'residual' to have the sizes \[2, 3\]"
    ):
        fold_ops.add_rms_norm(x, ow.ones(2, 4), [3])
    with pytest.raises(
        RuntimeError,
        match=r"expected 'weight' to have the sizes \[3\] beside 'self' of sizes \[2, 3\]",
    ):
        fold_ops.add_rms_norm(x, x, [3], ow.ones(2))
    with pytest.raises(IndexError):
        fold_ops.row_softmax(x, 2)
    with pytest.raises(IndexError):
        fold_ops.channel_scale(ow.ones(3), ow.ones(3))
