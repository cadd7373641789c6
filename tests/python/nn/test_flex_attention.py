"""flex_attention beyond what PyTorch's CPU does (tests/reference/cases/flex_attention.py): gradients, the
largest scores, functions that look into tensors."""

import math

import opweave as ow
import pytest
from opweave.nn.attention import flex_attention as flex


def _tensors(dtype=ow.float64):
    ow.manual_seed(0)
    return [ow.randn(2, 2, n, 3, dtype=dtype, requires_grad=True) for n in (4, 5, 5)]


def test_gradients_of_queries_keys_values_and_of_what_the_function_looks_into():
    bias = ow.randn(2, 5, dtype=ow.float64, requires_grad=True)

    def attention(q, k, v, table):
        seen = flex.create_block_mask(lambda b, h, i, j: j <= i + 1, None, None, 4, 5, "cpu", 2)
        return flex.flex_attention(q, k, v, lambda s, b, h, i, j: s + table[h, j], seen)

    assert ow.autograd.gradcheck(attention, (*_tensors(), bias))


def test_attention_of_causal_blocks_is_that_of_scaled_dot_product_attention():
    q, k, v = _tensors()
    k, v = k[:, :, :4], v[:, :, :4]
    seen = flex.create_block_mask(lambda b, h, i, j: i >= j, None, None, 4, 4, BLOCK_SIZE=2)
    want = ow.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    ow.testing.assert_close(flex.flex_attention(q, k, v, block_mask=seen), want)


def test_the_largest_scores_beside_the_result():
    q, k, v = _tensors()
    out, beside = flex.flex_attention(
        q, k, v, return_aux=flex.AuxRequest(lse=True, max_scores=True)
    )
    scores = q @ k.mT / math.sqrt(3)
    ow.testing.assert_close(beside.max_scores, scores.amax(-1))
    ow.testing.assert_close(beside.lse, scores.logsumexp(-1))
    ow.testing.assert_close(out, scores.softmax(-1) @ v)


def test_queries_that_see_no_key_get_zeros_and_no_gradient():
    q, k, v = _tensors()
    none = flex.create_block_mask(lambda b, h, i, j: i > 1, None, None, 4, 5)
    out = flex.flex_attention(q, k, v, block_mask=none)
    out.sum().backward()
    assert not out[:, :, :2].any()
    assert out[:, :, 2:].any()
    assert not q.grad[:, :, :2].any()
    assert v.grad.isfinite().all()


def test_orders_in_which_kernels_write_are_refused():
    with pytest.raises(
        NotImplementedError, match="compute_dq_write_order is for a kernel of PyTorch's"
    ):
        flex.create_block_mask(flex.noop_mask, 1, 1, 2, 2, compute_dq_write_order=True)
