"""What functions that are written in Python compute in inside of autocast. What is expected are the answers
of PyTorch 2.15 to the same calls on the CPU."""

import opweave as ow
import pytest
from opweave import nn

F = nn.functional
LOWER, FULL = ow.bfloat16, ow.float32


def low(*sizes):
    """What a product gives in a region."""
    return ow.ones(*sizes, dtype=LOWER)


CALLS = {
    "cdist": (FULL, lambda: ow.cdist(low(2, 2), ow.ones(3, 2))),
    "quantile": (FULL, lambda: ow.quantile(low(4), 0.5)),
    "nanquantile": (FULL, lambda: ow.nanquantile(low(4), ow.tensor([0.5]))),
    "grid_sample": (
        FULL,
        lambda: F.grid_sample(low(1, 1, 2, 2), ow.zeros(1, 1, 1, 2), align_corners=False),
    ),
    "grid_sampler_2d": (
        FULL,
        lambda: ow.grid_sampler_2d(ow.ones(1, 1, 2, 2), low(1, 1, 1, 2), 0, 0, False),
    ),
    "bilinear": (FULL, lambda: F.bilinear(ow.ones(2, 2), ow.ones(2, 2), ow.ones(1, 2, 2))),
    "hinge_embedding_loss": (FULL, lambda: F.hinge_embedding_loss(low(2, 2), ow.ones(2, 2))),
    "multi_margin_loss": (FULL, lambda: F.multi_margin_loss(low(2, 2), ow.tensor([0, 1]))),
    "multilabel_margin_loss": (
        FULL,
        lambda: F.multilabel_margin_loss(low(2, 2), ow.tensor([[0, -1], [1, -1]])),
    ),
    "avg_pool3d": (FULL, lambda: F.avg_pool3d(low(1, 1, 2, 2), 1)),
    "max_pool3d": (FULL, lambda: F.max_pool3d(low(1, 1, 2, 2), 1)),
    "adaptive_avg_pool3d": (FULL, lambda: F.adaptive_avg_pool3d(low(1, 1, 2, 2), 1)),
    "adaptive_max_pool3d": (FULL, lambda: F.adaptive_max_pool3d(low(1, 1, 2, 2), 1)),
    "fractional_max_pool2d": (
        FULL,
        lambda: F.fractional_max_pool2d(low(1, 2, 2), 1, output_size=1),
    ),
    "max_unpool2d": (FULL, lambda: F.max_unpool2d(low(1, 1, 2), ow.tensor([[[0, 1]]]), 1)),
    "ctc_loss": (
        FULL,
        lambda: F.ctc_loss(low(3, 1, 2), ow.tensor([[1]]), ow.tensor([3]), ow.tensor([1])),
    ),
    "prelu": (LOWER, lambda: F.prelu(ow.ones(2), ow.ones(1))),
    "LSTM": (LOWER, lambda: nn.LSTM(2, 3)(ow.ones(2, 2))[0]),
    "LSTM's cells": (LOWER, lambda: nn.LSTM(2, 3, bidirectional=True)(ow.ones(2, 2))[1][1]),
    "LSTMCell": (FULL, lambda: nn.LSTMCell(2, 3)(ow.ones(2, 2))[1]),
    "GRU": (FULL, lambda: nn.GRU(2, 3)(ow.ones(2, 2))[0]),
    # What is not on a list.
    "pairwise_distance": (FULL, lambda: F.pairwise_distance(low(2, 2), ow.ones(2, 2))),
    "max_pool2d": (LOWER, lambda: F.max_pool2d(low(1, 2, 2), 1)),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_dtype_of_a_result(name):
    dtype, call = CALLS[name]
    with ow.autocast("cpu"):
        assert call().dtype is dtype


def test_double_precision_stays():
    with ow.autocast("cpu"):
        assert ow.cdist(ow.ones(2, 2).double(), ow.ones(2, 2).double()).dtype is ow.float64
        assert ow.quantile(ow.ones(2).double(), 0.5).dtype is ow.float64


def test_what_is_called_within_is_not_cast():
    """cdist() multiplies matrices where it has many rows: those stay in float32."""
    x = ow.randn(40, 3, generator=ow.Generator().manual_seed(0))
    with ow.autocast("cpu"):
        found = ow.cdist(x, x)
        assert (x @ x.t()).dtype is LOWER
    assert ow.equal(found, ow.cdist(x, x))


def test_gradients_have_the_dtype_of_their_tensors():
    layer = nn.LSTM(2, 3)
    x = ow.ones(4, 2, requires_grad=True)
    with ow.autocast("cpu"):
        layer(x)[0].sum().backward()
    assert x.grad.dtype is FULL
    assert {p.grad.dtype for p in layer.parameters()} == {FULL}


def test_outside_and_where_there_are_no_elements():
    assert F.prelu(ow.ones(2), ow.ones(1)).dtype is FULL
    with ow.autocast("cpu"), ow.device("meta"):
        assert F.prelu(ow.ones(2), ow.ones(1)).dtype is FULL
    with ow.autocast("cpu", enabled=False):
        assert F.prelu(ow.ones(2), ow.ones(1)).dtype is FULL


def test_a_region_of_another_dtype():
    with ow.autocast("cpu", dtype=ow.float16):
        assert F.prelu(ow.ones(2), ow.ones(1)).dtype is ow.float16
        assert ow.quantile(ow.ones(4, dtype=ow.float16), 0.5).dtype is FULL


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [((2, 4, 3), "bfloat16"), ((2, 4, 3, 3), "float32"), ((1, 4, 2, 2, 2), "float32")],
)
def test_local_response_norm_is_wide_where_pytorch_pools_volumes(shape, dtype):
    x = ow.ones(shape, dtype=ow.bfloat16)
    with ow.autocast("cpu"):
        assert ow.nn.functional.local_response_norm(x, 2).dtype == getattr(ow, dtype)
    assert ow.nn.functional.local_response_norm(x, 2).dtype == ow.bfloat16
