"""Rows that a mask leaves nothing to attend to: zeros, and no NaN in any gradient, as in PyTorch."""

import math

import opweave as ow
import pytest
from opweave import nn
from opweave.nn import functional as F

INF = math.inf


@pytest.mark.parametrize("dtype", [ow.float64, ow.float32, ow.float16, ow.bfloat16])
@pytest.mark.parametrize("kind", ["numbers", "truth"])
def test_a_row_of_nothing_is_zero(dtype, kind):
    allowed = ow.tensor([[True, True], [False, False]])
    mask = allowed
    if kind == "numbers":
        mask = ow.zeros(2, 2, dtype=dtype).masked_fill(~allowed, -INF)
    q = ow.randn(3, 2, 4, dtype=dtype, requires_grad=True)
    found = F.scaled_dot_product_attention(q, q, q, attn_mask=mask)
    assert found[:, 1].abs().max() == 0
    whole = F.scaled_dot_product_attention(q[:, :1], q, q)
    assert ow.allclose(found[:, :1], whole)
    found.sum().backward()
    assert q.grad.isfinite().all()


def test_the_gradient_of_the_mask():
    mask = ow.full((2, 2), -INF, requires_grad=True)
    q = ow.randn(1, 2, 3)
    F.scaled_dot_product_attention(q, q, q, attn_mask=mask).sum().backward()
    assert mask.grad.tolist() == [[0, 0], [0, 0]]


def test_a_padded_example_leaves_the_others_alone():
    layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True)
    padding = ow.tensor([[False, False, True], [True, True, True]])
    found = layer(ow.randn(2, 3, 4), src_key_padding_mask=padding)
    found[0].sum().backward()
    assert all(p.grad.isfinite().all() for p in layer.parameters())
