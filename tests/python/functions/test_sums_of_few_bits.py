"""Sums of 16 bits: many terms are put together in wider numbers, and rounded once. In their own bits ones
would add up to 2048 or 256."""

import opweave as ow
import pytest

F = ow.nn.functional
N = 5000
FIRST = ow.zeros(N, dtype=ow.int64)


def gradient(f, *sizes):
    def of(dtype):
        x = ow.ones(sizes, dtype=dtype, requires_grad=True)
        y = f(x)
        return ow.autograd.grad(y, x, ow.ones_like(y))[0]

    return of


def ones(dtype, *more):
    return ow.ones(N, *more, dtype=dtype)


def zeros(dtype, *more):
    return ow.zeros(3, *more, dtype=dtype)


SUMS = {
    "embedding_bag": lambda d: F.embedding_bag(FIRST[None], ow.ones(3, 2, dtype=d), mode="sum"),
    "factors": lambda d: F.embedding_bag(
        FIRST[None], ow.ones(3, 2, dtype=d), mode="sum", per_sample_weights=ones(d)[None]
    ),
    "index_add": lambda d: zeros(d).index_add(0, FIRST, ones(d)),
    "index_add of rows": lambda d: zeros(d, 2).index_add(0, FIRST, ones(d, 2)),
    "index_add to a large tensor": lambda d: ow.zeros(20 * N, dtype=d).index_add(0, FIRST, ones(d))[
        :3
    ],
    "index_add to columns": lambda d: zeros(d, 4).t()[::2].index_add_(0, FIRST, ones(d, 3)),
    "index_put": lambda d: zeros(d).index_put((FIRST,), ones(d), accumulate=True),
    "put": lambda d: zeros(d).put(FIRST, ones(d), accumulate=True),
    "scatter_add": lambda d: zeros(d).scatter_add(0, FIRST, ones(d)),
    "scatter_add_ to a part": lambda d: zeros(d, 2)[:, 1].scatter_add_(0, FIRST, ones(d)),
    "scatter_add to a large tensor": lambda d: ow.zeros(20 * N, 2, dtype=d).scatter_add(
        0, FIRST[:, None], ones(d, 1)
    )[:3],
    "scatter": lambda d: zeros(d).scatter(0, FIRST, ones(d), reduce="add"),
    "take": gradient(lambda x: x.take(FIRST), 3),
    "gather": gradient(lambda x: x.gather(0, FIRST), 3),
    "index": gradient(lambda x: x[FIRST], 3),
    "index_select": gradient(lambda x: x.index_select(0, FIRST), 3, 2),
    "as_strided": gradient(lambda x: x.as_strided((N,), (0,)), 1),
    "nearest": gradient(lambda x: F.interpolate(x, size=N), 1, 1, 1),
    "replicate": gradient(lambda x: F.pad(x, (N - 1, 0), mode="replicate"), 1, 1, 1),
    "max_pool": gradient(lambda x: F.adaptive_max_pool1d(x, N), 1, 1, 1),
    "overlap": gradient(lambda x: F.max_pool1d(F.pad(x, (N, N)), N + 1, 1), 1, 1, 1),
}


@pytest.mark.parametrize("dtype", [ow.float16, ow.bfloat16])
@pytest.mark.parametrize("name", SUMS)
def test_sums_do_not_stop_growing(name, dtype):
    found = SUMS[name](dtype)
    assert found.dtype is dtype
    assert found.tolist() == SUMS[name](ow.float64).to(dtype).tolist()


@pytest.mark.parametrize("dtype", [ow.float16, ow.bfloat16])
def test_means_do_not_vanish(dtype):
    vectors = ow.ones(3, 2, dtype=dtype)
    assert F.embedding_bag(FIRST[None], vectors, mode="mean").tolist() == [[1.0, 1.0]]
    lengths = ow.tensor([N])
    assert ow.segment_reduce(ones(dtype), "mean", lengths=lengths).tolist() == [1.0]


@pytest.mark.parametrize("dtype", [ow.float16, ow.bfloat16])
def test_products_are_rounded_once(dtype):
    factors = (ow.arange(40) % 7 * 0.1 + 0.7).to(dtype)
    index = ow.zeros(40, dtype=ow.int64)
    found = ow.ones(1, dtype=dtype).scatter(0, index, factors, reduce="multiply")
    assert found.item() == factors.double().prod().to(dtype).item()


@pytest.mark.parametrize("places", [[0, 0, 2], [0, 1, 2]])
def test_factors_are_not_rounded(places):
    ow.manual_seed(0)
    terms = ow.randn(3, dtype=ow.bfloat16)
    found = ow.zeros(64, dtype=ow.bfloat16).index_add(0, ow.tensor(places), terms, alpha=0.3)
    wide = ow.zeros(64).index_add(0, ow.tensor(places), terms.float(), alpha=0.3)
    assert found.tolist() == wide.to(ow.bfloat16).tolist()


@pytest.mark.parametrize("dtype", [ow.float16, ow.bfloat16])
def test_a_few_terms_of_a_large_tensor(dtype):
    large = ow.zeros(64, 64, dtype=dtype)
    index = ow.arange(12).reshape(3, 4)
    found = large.t().scatter_add_(1, index, ow.full((3, 4), 0.1, dtype=dtype))
    assert found.nonzero().tolist() == [[i // 4, i] for i in range(12)]
    found.scatter_(1, index, ow.full((3, 4), 3.0, dtype=dtype), reduce="multiply")
    assert found[2, 8] == (ow.tensor(0.1, dtype=dtype) * 3)


@pytest.mark.parametrize("dtype", [ow.int64, ow.int8, ow.bool])
def test_sums_of_what_is_counted_leave_out_nan_before_it_is_converted(dtype):
    values = ow.tensor([[ow.nan, 1.5, 2.75], [ow.nan, 0.0, 0.0]])
    expected = ow.tensor([[0, 1, 2], [0, 0, 0]]).sum(1)
    assert ow.nansum(values, 1, dtype=dtype).tolist() == expected.to(dtype).tolist()
    assert ow.nansum(values.double(), dtype=dtype).item() == expected.sum().to(dtype).item()


def test_gradients_of_16_bits_do_not_overflow_on_their_way():
    x = ow.tensor([40.0, 8.0], dtype=ow.float16, requires_grad=True)
    ow.nn.functional.glu(x).backward(ow.tensor([2000.0], dtype=ow.float16))
    exact = x.detach().double().requires_grad_()
    ow.nn.functional.glu(exact).backward(ow.tensor([2000.0], dtype=ow.float64))
    ow.testing.assert_close(x.grad, exact.grad.half())
    x = ow.tensor([300.0, 0.5, 4.0], dtype=ow.float16)
    for product in (lambda t: t.prod(), lambda t: t.prod(0), lambda t: t.prod(0, keepdim=True)[0]):
        t = x.clone().requires_grad_()
        product(t).backward(ow.tensor(200.0, dtype=ow.float16))
        assert t.grad.tolist() == [400, ow.inf, 30000]
