"""Values with the gradients of others, and floats that become indices, where PyTorch has no answer to compare
with: it is wrong there, reads memory that is not its own, or has no such function."""

import math

import opweave as ow
import pytest
from opweave import func
from opweave._arguments import to_size

INF, NAN = math.inf, math.nan
F = ow.nn.functional
with_gradient_of = ow.ops.with_gradient_of
FLOATS = [ow.float64, ow.float32, ow.float16, ow.bfloat16]


def test_a_value_with_another_gradient():
    x = ow.tensor([1.0, INF, NAN], requires_grad=True)
    found = with_gradient_of(ow.tensor([5.0, -INF, 2.0]), x * x * 3)
    assert found.tolist() == [5.0, -INF, 2.0]
    assert ow.autograd.grad(found.sum(), x)[0].tolist()[:2] == [6.0, INF]


def test_the_value_itself_has_no_gradient():
    x = ow.ones(2, requires_grad=True)
    assert not with_gradient_of(x, ow.zeros(2)).requires_grad
    (found,) = ow.autograd.grad(with_gradient_of(x * 7, x * 2).sum(), x)
    assert found.tolist() == [2.0, 2.0]


def test_derivatives_of_every_kind():
    def square(x):
        return with_gradient_of(ow.zeros_like(x), x * x).sum()

    x = ow.tensor([1.0, 3.0])
    assert func.grad(square)(x).tolist() == [2.0, 6.0]
    assert func.jvp(square, (x,), (ow.ones(2),))[1].item() == 8.0
    assert func.hessian(square)(x).tolist() == [[2.0, 0.0], [0.0, 2.0]]
    rows = ow.stack([x, x + 1])
    assert func.vmap(func.grad(square))(rows).tolist() == [[2.0, 6.0], [4.0, 8.0]]


@pytest.mark.parametrize(
    ("value", "words"),
    [(ow.ones(3), "sizes"), (ow.ones(2, dtype=ow.float64), "dtype")],
)
def test_what_does_not_fit_is_refused(value, words):
    with pytest.raises(
        RuntimeError, match=rf"with_gradient_of\(\): expected tensors of the same {words}"
    ):
        with_gradient_of(value, ow.ones(2))


@pytest.mark.parametrize("reduce", ["amax", "amin"])
def test_an_input_that_takes_no_part_has_no_share(reduce):
    x, y = ow.tensor([2.0, 5.0], requires_grad=True), ow.tensor([2.0, 2.0], requires_grad=True)
    found = ow.scatter_reduce(x, 0, ow.tensor([0, 0]), y, reduce, include_self=False)
    found.sum().backward()
    assert (x.grad.tolist(), y.grad.tolist()) == ([0.0, 1.0], [0.5, 0.5])


def test_an_impossible_text_of_infinite_scores():
    scores = ow.tensor([[[0.0, INF, 1.0]], [[0.0, 1.0, 2.0]]], requires_grad=True)
    ones = ow.tensor([1])
    loss = F.ctc_loss(scores, ones.reshape(1, 1), ones * 2, ones, reduction="sum")
    assert loss.item() == -INF


# --- floats that become indices -----------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("sample", [NAN, INF, -INF, -0.5, 1.0, 6e4])
def test_windows_of_any_samples_are_inside(dtype, sample):
    x = ow.arange(49.0).reshape(1, 1, 7, 7).to(dtype)
    samples = ow.full((1, 1, 2), sample, dtype=dtype)
    found, places = F.fractional_max_pool2d(x, 2, 3, None, True, samples)
    assert places.min().item() >= 0
    assert found.flatten().tolist() == x.flatten()[places.flatten()].tolist()


def test_sizes():
    assert to_size("f", 3.99) == 3
    for value in (NAN, INF, -INF, 2.0**63):
        with pytest.raises(RuntimeError, match=r"f\(\): a size of .* cannot be converted to int64"):
            to_size("f", value)


@pytest.mark.parametrize("scale", [3e38, 3e-45, 1e30])
def test_parts_of_a_range_without_a_width(scale):
    values = ow.tensor([1.0, -1.0, 0.9, 0.1]) * scale
    assert ow.histc(values, 4).tolist() == [1.0, 0.0, 1.0, 2.0]
    assert ow.histc(ow.tensor([1.0, -3e38]), 4).tolist() == [1.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("shape", [(1, 1, 3, 4), (1, 1, 2, 3, 4)])
@pytest.mark.parametrize("align", [True, False])
def test_any_place_can_be_asked(mode, padding, shape, align):
    """With gradients, too; a place in one dimension tells nothing of the others."""
    dims = len(shape) - 2
    image = ow.arange(float(math.prod(shape))).reshape(shape).requires_grad_()
    values = [NAN, INF, -INF, 3e38, -3e38, 1e20, 0.25]
    grid = ow.tensor([[v] + [0.0] * (dims - 1) for v in values] + [[v] * dims for v in values])
    grid = grid.reshape(1, -1, *[1] * (dims - 1), dims).requires_grad_()
    found = F.grid_sample(image, grid, mode, padding, align).reshape(-1)
    assert found[[6, 13]].isfinite().all()
    if mode != "bicubic" and padding != "zeros":
        assert found.isfinite().all()
    if mode != "nearest":
        found.sum().backward()
        assert grid.grad.reshape(-1, dims)[6].isfinite().all()


@pytest.mark.parametrize("sample", [NAN, INF, -INF, -3.0, 5.0, 1.0])
@pytest.mark.parametrize("n", [2, 3])
def test_windows_of_samples_that_are_none(sample, n):
    image = ow.arange(7.0**n).reshape(1, 1, *[7] * n)
    pool = getattr(F, f"fractional_max_pool{n}d")
    found = pool(image, 2, output_size=(3,) * n, _random_samples=ow.full((1, 1, n), sample))
    assert found.shape == (1, 1, *[3] * n)
    assert found.max().item() == 7.0**n - 1


def test_topk_of_a_number_is_the_number():
    """Also of none: a tensor of no dimensions has one element."""
    for k in (0, 1):
        values, indices = ow.topk(ow.tensor(3.0), k)
        assert (values.item(), indices.item()) == (3.0, 0)
