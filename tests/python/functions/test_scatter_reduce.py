"""scatter_reduce and index_reduce: what they refuse, and gradients of products and extremes."""

import opweave as ow
import pytest

REDUCTIONS = ["sum", "prod", "mean", "amax", "amin"]


@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_an_index_that_reaches_beyond_the_source(reduce):
    x, index = ow.zeros(3, 2), ow.tensor([[0, 1], [0, 0], [2, 2]])
    for call in (x.scatter_reduce, x.scatter_reduce_):
        with pytest.raises(RuntimeError, match=r"to be no larger size than src \[2, 2\]"):
            call(0, index, ow.ones(2, 2), reduce)


@pytest.mark.parametrize("reduce", REDUCTIONS[1:])
def test_sources_of_index_reduce_that_do_not_fit(reduce):
    x = ow.zeros(3, 2)
    for call in (x.index_reduce, x.index_reduce_):
        with pytest.raises(RuntimeError, match="source tensor shape must match self tensor shape"):
            call(0, ow.tensor([0, 1]), ow.ones(2, 1), reduce)
        with pytest.raises(IndexError, match="Index is supposed to be a vector, but got dim: 2"):
            call(0, ow.tensor([[0, 1]]), ow.ones(2, 2), reduce)
        with pytest.raises(RuntimeError, match=r"Number of indices \(2\) should be equal"):
            call(0, ow.tensor([0, 1]), ow.ones(3, 2), reduce)
        with pytest.raises(RuntimeError, match="must have the same scalar type"):
            call(0, ow.tensor([0, 1]), ow.ones(2, 2).double(), reduce)
    for x, source in ((ow.tensor(1.0), ow.ones(1)), (ow.ones(1), ow.tensor(1.0))):
        with pytest.raises(RuntimeError, match="source tensor shape must match self tensor shape"):
            x.index_reduce(0, ow.tensor([0]), source, reduce)


def test_other_words_and_dtypes():
    x, index, ones = ow.zeros(3), ow.tensor([0]), ow.ones(1)
    with pytest.raises(RuntimeError, match="must be either sum, prod, mean, amax or amin, got x"):
        x.scatter_reduce(0, index, ones, "x")
    with pytest.raises(RuntimeError, match="one of prod, mean, amax or amin but got sum"):
        x.index_reduce(0, index, ones, "sum")
    with pytest.raises(TypeError, match=r"argument 'index'.* must be Tensor, not list"):
        x.scatter_reduce(0, [0], ones, "sum")
    with pytest.raises(RuntimeError, match=r"Expected self\.dtype to be equal to src\.dtype"):
        x.scatter_reduce(0, index, ones.double(), "amax")
    with pytest.raises(NotImplementedError):
        x.bool().scatter_reduce(0, index, ones.bool(), "mean")


@pytest.mark.parametrize("dtype", [ow.float32, ow.float16])
def test_a_product_that_overflows_is_nothing_to_other_groups(dtype):
    great = 1e20 if dtype is ow.float32 else 3e3
    least = 1e-20 if dtype is ow.float32 else 3e-4
    x = ow.tensor([1.0, 0.001], dtype=dtype, requires_grad=True)
    y = ow.tensor([least, great, great], dtype=dtype, requires_grad=True)
    found = x.scatter_reduce(0, ow.tensor([0, 1, 1]), y, "prod")
    assert found.isfinite().all()
    found.sum().backward()
    assert y.grad[0].item() == 1
    assert y.grad[1:].isfinite().all()


def test_gradients_of_products_with_zeros():
    x = ow.tensor([300.0, 0.5], dtype=ow.float16, requires_grad=True)
    y = ow.tensor([300.0, 0.0, 3.0], dtype=ow.float16, requires_grad=True)
    x.scatter_reduce(0, ow.zeros(3, dtype=ow.int64), y, "prod").sum().backward()
    assert (x.grad.tolist(), y.grad.tolist()[::2]) == ([0.0, 1.0], [0.0, 0.0])
    x = ow.tensor([2.0, 0.0], requires_grad=True)
    y = ow.tensor([3.0, 0.0, 5.0], requires_grad=True)
    x.index_reduce(0, ow.tensor([0, 0, 1]), y, "prod").sum().backward()
    assert (x.grad.tolist(), y.grad.tolist()) == ([0.0, 5.0], [0.0, 6.0, 0.0])


def test_many_terms_of_16_bits_are_rounded_once():
    x, index = ow.zeros(1, dtype=ow.bfloat16), ow.zeros(300, dtype=ow.int64)
    ones = ow.ones(300, dtype=ow.bfloat16)
    assert x.scatter_reduce(0, index, ones, "sum").item() == 300
    assert x.scatter_reduce(0, index, ones, "mean", include_self=False).item() == 1
    counts = ow.zeros(1, dtype=ow.uint8).scatter_reduce(
        0, index[:10], ow.full((10,), 7, dtype=ow.uint8), "mean", include_self=False
    )
    assert counts.item() == 7


def test_means_of_whole_numbers_are_rounded_down():
    x, index = ow.tensor([0, 1]), ow.tensor([[0, 0], [1, 1]])
    found = ow.zeros(2, 2, dtype=ow.int64).scatter_reduce(1, index, -ow.stack([x, x + 1]), "mean")
    assert found.tolist() == [[-1, 0], [0, -1]]


def test_what_is_not_reached_keeps_its_value_and_gradient():
    x = ow.tensor([2.0, 5.0, 7.0], requires_grad=True)
    y = ow.tensor([4.0], requires_grad=True)
    for reduce in REDUCTIONS:
        found = x.scatter_reduce(0, ow.tensor([1]), y, reduce, include_self=False)
        assert found.tolist() == [2.0, 4.0, 7.0]
        a, b = ow.autograd.grad((found * ow.tensor([1.0, 2.0, 3.0])).sum(), (x, y))
        assert (a.tolist(), b.tolist()) == ([1.0, 0.0, 3.0], [2.0])


@pytest.mark.parametrize("reduce", REDUCTIONS)
@pytest.mark.parametrize("include_self", [True, False])
def test_gradients_of_gradients(reduce, include_self):
    x = ow.tensor([[1.5, -2.0, 0.5]], dtype=ow.float64, requires_grad=True)
    y = ow.tensor([[0.7, 3.0, -1.2, 2.5]], dtype=ow.float64, requires_grad=True)
    index = ow.tensor([[0, 2, 0]])

    def reduced(x, y):
        return x.scatter_reduce(1, index, y, reduce, include_self=include_self)

    assert ow.autograd.gradcheck(reduced, (x, y))
    assert ow.autograd.gradgradcheck(reduced, (x, y))


@pytest.mark.parametrize("reduce", ["add", "multiply"])
@pytest.mark.parametrize("in_place", [False, True])
def test_gradients_of_scatter_with_a_word(reduce, in_place):
    """They are those of scatter_reduce, whose words are others."""
    index = ow.tensor([[0, 0, 2], [1, 1, 1]])

    def gradients(f):
        x = ow.arange(1.0, 10.0, dtype=ow.float64).reshape(3, 3).requires_grad_()
        src = (ow.arange(6.0, dtype=ow.float64).reshape(2, 3) - 2.5).requires_grad_()
        return ow.autograd.grad(f(x, src).sin().sum(), (x, src))

    def scattered(x, src):
        if in_place:
            return x.clone().scatter_(0, index, src, reduce=reduce)
        return x.scatter(0, index, src, reduce=reduce)

    word = "sum" if reduce == "add" else "prod"
    got = gradients(scattered)
    want = gradients(lambda x, src: x.scatter_reduce(0, index, src, word))
    ow.testing.assert_close(got, want)
    assert all(g.abs().sum() > 0 for g in got)


@pytest.mark.parametrize("reduce", ["add", "multiply"])
def test_gradients_of_scatter_of_a_number_with_a_word(reduce):
    index = ow.tensor([0, 0, 2])
    for f in (
        lambda x: x.scatter(0, index, 3.0, reduce=reduce),
        lambda x: x.clone().scatter_(0, index, 3.0, reduce=reduce),
    ):
        x = ow.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
        (gradient,) = ow.autograd.grad(f(x).sum(), x)
        assert gradient.tolist() == ([1.0] * 4 if reduce == "add" else [9.0, 1.0, 3.0, 1.0])


def test_gradient_of_the_step_at_zero():
    for f in (ow.heaviside, lambda x, v: x.clone().heaviside_(v)):
        x = ow.tensor([-1.0, 0.0, 2.0], requires_grad=True)
        values = ow.tensor([0.5, 0.5, 0.5], requires_grad=True)
        found = ow.autograd.grad(f(x, values).sum(), (x, values))
        assert [g.tolist() for g in found] == [[0.0] * 3, [0.0, 1.0, 0.0]]


@pytest.mark.parametrize("zeros", [1, 2, 3, 4])
def test_derivatives_of_products_with_several_zeros_in_one_place(zeros):
    """As many derivatives as there are zeros: the product of what is left, by each order of them."""
    index = ow.zeros(5, dtype=ow.int64)
    src = ow.tensor([0.0] * zeros + [3.0] * (5 - zeros), dtype=ow.float64)

    def f(s):
        return ow.tensor([2.0], dtype=ow.float64).scatter_reduce(0, index, s, "prod").sum()

    def derived(g, order):
        return g if order == 0 else derived(lambda s: ow.func.grad(g)(s)[order - 1], order - 1)

    assert derived(f, zeros)(src).item() == 2 * 3 ** (5 - zeros)
    if zeros > 1:
        assert not ow.func.grad(f)(src)[:zeros].any()
    if zeros == 2:
        for second in (ow.func.hessian, ow.func.jacfwd):
            found = second(f if second is ow.func.hessian else ow.func.grad(f))(src)
            assert found[0, 1].item() == found[1, 0].item() == 54
            assert not found[0, 0]
            assert not found[0, 2:].any()
