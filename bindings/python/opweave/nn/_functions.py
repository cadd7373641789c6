"""Functions of networks that call several operators: dropout, activations."""

import warnings

from opweave import _C
from opweave._arguments import expect_bool as _expect_bool
from opweave._arguments import expect_probability as _expect_probability
from opweave._arguments import expect_tensor as _expect_tensor
from opweave._overridable import make_overridable as _make_overridable


# --- dropout of channels, activations ------------------------------------------------------------------
def _expect_dropout(name, input, p, training):
    _expect_tensor(name, "input", input)
    _expect_probability(name, p)
    _expect_bool(name, "training", training)


def _expect_no_leaf(input):
    """Refuses what cannot be written, where PyTorch refuses it though nothing is."""
    whole = input if input._base is None else input._base
    if _C.is_grad_enabled() and whole.is_leaf and whole.requires_grad:
        what = "a leaf" if whole is input else "a view of a leaf"
        raise RuntimeError(
            f"{what} Variable that requires grad is being used in an in-place operation."
        )


def _dropped_channels(input, p, training, inplace, single):
    """Whole channels of (N, C, *), or of (C, *) where there is a single example."""
    if inplace and (p == 0 or not training):
        if single:
            _expect_no_leaf(input)
        return input
    rows = input.unsqueeze(0) if single else input
    out = _C.feature_dropout(rows, p, training)
    out = out.squeeze(0) if single else out
    return input.copy_(out) if inplace else out


def _expect_dims(name, input, dims):
    if input.dim() not in dims:
        warnings.warn(
            f"{name}: Received a {input.dim()}-D input to {name}, which is deprecated and will be an error: "
            f"use dropout() for it. Expected {dims[0]} or {dims[1]} dimensions, of which one is of channels",
            stacklevel=3,
        )


def dropout(input, p=0.5, training=True, inplace=False):
    _expect_probability("dropout", p)
    return (_C.dropout_ if inplace else _C.dropout)(input, p, training)


def dropout1d(input, p=0.5, training=True, inplace=False):
    """Zeroes channels of (N, C, L) or (C, L) with probability p."""
    _expect_dropout("dropout1d", input, p, training)
    if input.dim() not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input. Note that dropout1d "
            "exists to provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, "
            "and an optional batch dimension (i.e. 2D or 3D inputs)."
        )
    return _dropped_channels(input, p, training, inplace, input.dim() == 2)


def dropout2d(input, p=0.5, training=True, inplace=False):
    """Zeroes channels of (N, C, H, W) with probability p; an input of three dimensions is (N, C, L)."""
    _expect_dropout("dropout2d", input, p, training)
    _expect_dims("dropout2d", input, (3, 4))
    if input.dim() == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d, which is taken to be (N, C, L), as by PyTorch, and "
            "not (C, H, W): use dropout1d() for it",
            stacklevel=2,
        )
    return _dropped_channels(input, p, training, inplace, single=False)


def dropout3d(input, p=0.5, training=True, inplace=False):
    """Zeroes channels of (N, C, D, H, W) or (C, D, H, W) with probability p."""
    _expect_dropout("dropout3d", input, p, training)
    _expect_dims("dropout3d", input, (4, 5))
    return _dropped_channels(input, p, training, inplace, input.dim() != 5)


def alpha_dropout(input, p=0.5, training=False, inplace=False):
    """Dropout that keeps mean and variance of inputs of selu."""
    _expect_dropout("alpha_dropout", input, p, training)
    return (_C.alpha_dropout_ if inplace else _C.alpha_dropout)(input, p, training)


def feature_alpha_dropout(input, p=0.5, training=False, inplace=False):
    """alpha_dropout() of whole channels of (N, C, *)."""
    _expect_dropout("feature_alpha_dropout", input, p, training)
    drop = _C.feature_alpha_dropout_ if inplace else _C.feature_alpha_dropout
    return drop(input, p, training)


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """A sample of the Gumbel-Softmax distribution; with hard one-hot, with the gradient of the soft one."""
    draws = _C.empty_like(logits, memory_format=_C.contiguous_format)
    noise = -draws.exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    return _C.zeros_like(logits).scatter_(dim, index, 1.0) - soft.detach() + soft


_make_overridable(globals())
