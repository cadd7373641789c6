"""Attention by blocks of queries and keys is that of its definition, in memory linear in their number."""

import itertools
import math
import resource

import opweave as ow
import pytest
from opweave import func
from opweave.autograd import grad, gradcheck, gradgradcheck
from opweave.nn import functional as F

INF = math.inf

# (batch, heads, queries, keys, width of keys, of values): below, at and beyond blocks of 192 queries and 96
# keys, widths that are no whole vectors.
SIZES = [
    (1, 2, 5, 5, 8, 8),
    (2, 1, 96, 192, 16, 16),
    (1, 1, 193, 97, 17, 3),
    (1, 2, 200, 290, 40, 64),
    (3, 1, 1, 300, 32, 32),
    (1, 1, 400, 70, 80, 130),
]


def of_definition(q, k, v, mask=None, causal=False, scale=None):
    scores = q @ k.transpose(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if causal:
        mask = ow.ones(q.shape[-2], k.shape[-2], dtype=ow.bool).tril()
    if mask is None:
        return scores.softmax(-1) @ v
    if mask.dtype == ow.bool:
        mask = ow.zeros(mask.shape, dtype=q.dtype).masked_fill(~mask, -INF)
    scores = scores + mask
    nothing = (scores == -INF).all(-1, keepdim=True)
    weights = scores.masked_fill(nothing, 0).softmax(-1).masked_fill(nothing, 0)
    return weights @ v


def some_mask(kind, batch, heads, queries, keys):
    if kind == "truth":
        mask = ow.rand(queries, keys) > 0.3
        mask[0] = False
        return mask
    if kind == "of keys":
        return ow.rand(batch, 1, 1, keys) > 0.3
    if kind == "of queries":
        return ow.rand(queries, 1) > 0.3
    if kind == "numbers":
        mask = ow.randn(heads, queries, keys, dtype=ow.float64)
        return mask.masked_fill(ow.rand(queries, keys) > 0.8, -INF)
    return None


def inputs(batch, heads, queries, keys, width, value_width, dtype=ow.float64):
    q = ow.randn(batch, heads, queries, width, dtype=dtype)
    k = ow.randn(batch, heads, keys, width, dtype=dtype)
    return q, k, ow.randn(batch, heads, keys, value_width, dtype=dtype)


def with_gradients(f, tensors):
    tensors = [t.detach().requires_grad_() for t in tensors]
    out = f(*tensors)
    weights = ow.linspace(-1, 1, out.numel(), dtype=out.dtype).view(out.shape)
    return [out, *grad(out, tensors, weights)]


@pytest.mark.parametrize("dtype", [ow.float32, ow.float64])
@pytest.mark.parametrize(
    "kind", ["all", "causal", "truth", "of keys", "of queries", "numbers", "scaled"]
)
@pytest.mark.parametrize("sizes", SIZES)
def test_values_and_gradients(sizes, kind, dtype):
    ow.manual_seed(len(kind))
    tensors = inputs(*sizes)
    mask, causal = some_mask(kind, *sizes[:4]), kind == "causal"
    scale = -0.7 if kind == "scaled" else None
    expected = with_gradients(lambda q, k, v: of_definition(q, k, v, mask, causal, scale), tensors)
    if mask is not None and mask.dtype != ow.bool:
        mask = mask.to(dtype)
    found = with_gradients(
        lambda q, k, v: F.scaled_dot_product_attention(
            q, k, v, mask, is_causal=causal, scale=scale
        ),
        [t.to(dtype) for t in tensors],
    )
    limit = 2e-5 if dtype == ow.float32 else 1e-13
    for x, y in zip(found, expected, strict=True):
        assert (x.double() - y).abs().max() < limit * max(1, y.abs().max())


@pytest.mark.parametrize("causal", [False, True])
def test_threads_change_no_digit(causal):
    tensors = inputs(1, 1, 500, 420, 24, 16, ow.float32)

    def found():
        return with_gradients(
            lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=causal), tensors
        )

    before = ow.get_num_threads()
    try:
        ow.set_num_threads(1)
        one = found()
        ow.set_num_threads(5)
        for x, y in zip(found(), one, strict=True):
            assert ow.equal(x, y)
    finally:
        ow.set_num_threads(before)


def test_any_layout():
    q, k, v = inputs(2, 3, 100, 110, 16, 16)
    expected = with_gradients(of_definition, (q, k, v))
    for turn, other in itertools.permutations([(1, 2), (2, 3), (0, 3)], 2):
        q2 = q.transpose(*turn).contiguous().transpose(*turn)
        k2 = k.transpose(*other).contiguous().transpose(*other)
        v2 = ow.stack([v, v], -1)[..., 0]
        for x, y in zip(
            with_gradients(F.scaled_dot_product_attention, (q2, k2, v2)), expected, strict=True
        ):
            ow.testing.assert_close(x, y)
    one = k[:1, :1].expand(2, 3, 110, 16)
    ow.testing.assert_close(F.scaled_dot_product_attention(q, one, v), of_definition(q, one, v))


def test_memory_is_linear_in_the_length():
    ow.set_num_threads(2)
    tensors = [ow.randn(1, 1, 12_000, 16, requires_grad=True) for _ in range(3)]
    F.scaled_dot_product_attention(*(t[:, :, :200] for t in tensors)).sum().backward()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    F.scaled_dot_product_attention(*tensors, is_causal=True).sum().backward()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60_000  # scores: 576 MB


@pytest.mark.parametrize("causal", [False, True])
def test_second_derivatives(causal):
    tensors = [ow.randn(1, 2, 4, 3, dtype=ow.float64, requires_grad=True) for _ in range(3)]

    def attend(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal)

    assert gradcheck(attend, tensors, check_forward_ad=True, check_batched_grad=True)
    assert gradgradcheck(attend, tensors, check_fwd_over_rev=True)


def test_derivatives_of_the_mask():
    tensors = [ow.randn(1, 2, 4, 3, dtype=ow.float64, requires_grad=True) for _ in range(3)]
    for mask in (ow.randn(4, 4, dtype=ow.float64), ow.randn(2, 1, 4, dtype=ow.float64)):
        wanted = (*tensors, mask.requires_grad_())
        assert gradcheck(F.scaled_dot_product_attention, wanted, check_forward_ad=True)
        assert gradgradcheck(F.scaled_dot_product_attention, wanted)


@pytest.mark.parametrize("length", [3, 200])  # all examples at once, and one by one
def test_batches(length):
    q, k, v = (ow.randn(4, 2, length, 8, dtype=ow.float64) for _ in range(3))
    found = func.vmap(F.scaled_dot_product_attention)(q, k, v)
    expected = ow.stack([of_definition(*each) for each in zip(q, k, v, strict=True)])
    ow.testing.assert_close(found, expected)

    def total(*tensors):
        return F.scaled_dot_product_attention(*tensors).square().sum()

    of_each = func.vmap(func.grad(total))(q, k, v)
    ow.testing.assert_close(of_each, func.grad(total)(q, k, v))


def test_nothing_to_attend_to():
    none = F.scaled_dot_product_attention(ow.ones(2, 3, 4), ow.ones(2, 0, 4), ow.ones(2, 0, 5))
    assert ow.equal(none, ow.zeros(2, 3, 5))
    assert F.scaled_dot_product_attention(*(ow.ones(0, 2, 3, 4),) * 3).shape == (0, 2, 3, 4)
    assert F.scaled_dot_product_attention(*(ow.ones(2, 2, 0, 4),) * 3).shape == (2, 2, 0, 4)
    flat = F.scaled_dot_product_attention(ow.ones(2, 2, 0), ow.ones(2, 3, 0), ow.ones(2, 3, 1))
    assert ow.equal(flat, ow.ones(2, 2, 1))


def test_what_is_not_finite():
    q, k, v = inputs(1, 1, 300, 200, 16, 16, ow.float32)
    q[0, 0, 7] = math.nan
    found = F.scaled_dot_product_attention(q, k, v)
    assert found[0, 0, 7].isnan().all()
    assert found.isnan().sum() == 16
    k[0, 0, 5] = math.nan
    allowed = ow.arange(200) != 5
    masked = F.scaled_dot_product_attention(q[:, :, 8:], k, v, attn_mask=allowed)
    assert masked.isfinite().all()
    assert F.scaled_dot_product_attention(q[:, :, 8:], k, v).isnan().all()


@pytest.mark.parametrize("dtype", [ow.bfloat16, ow.float16])
def test_16_bits_are_rounded_once(dtype):
    q, k, v = (t.to(dtype) for t in inputs(1, 2, 200, 150, 32, 32))
    expected = of_definition(q.float(), k.float(), v.float()).to(dtype)
    found = F.scaled_dot_product_attention(q, k, v)
    assert found.dtype == dtype
    assert (found != expected).float().mean() < 0.01


def test_results_are_contiguous_and_gradients_lie_as_inputs():
    q = ow.randn(2, 5, 3, 4, requires_grad=True)
    out = F.scaled_dot_product_attention(*(q.transpose(1, 2),) * 3)
    assert out.is_contiguous()
    (found,) = grad(out.sum(), q)
    assert found.is_contiguous()
