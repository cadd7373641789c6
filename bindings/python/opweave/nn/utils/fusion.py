"""A convolution or linear layer and the batch norm behind it as one layer, for evaluation."""

from __future__ import annotations

import copy
from typing import TypeVar

from opweave import _C
from opweave._C import Tensor
from opweave.nn.modules.module import Module
from opweave.nn.parameter import Parameter

_M = TypeVar("_M", bound=Module)

__all__ = [
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
]


def _zeros_like(tensor):
    return _C.zeros_like(tensor)


def _fused(weight, bias, bn_rm, bn_rv, bn_eps, bn_w, bn_b, shape):
    """Weight and bias of what computes both."""
    bias = _zeros_like(bn_rm) if bias is None else bias
    bn_w = _C.ones_like(bn_rm) if bn_w is None else bn_w
    bn_b = _zeros_like(bn_rm) if bn_b is None else bn_b
    factor = bn_w * (bn_rv + bn_eps).rsqrt()
    fused_weight = (weight * factor.reshape(shape)).to(weight.dtype)
    fused_bias = ((bias - bn_rm) * factor + bn_b).to(bias.dtype)
    return (
        Parameter(fused_weight.detach(), weight.requires_grad),
        Parameter(fused_bias.detach(), bias.requires_grad),
    )


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """Weight and bias of what computes a convolution and a batch norm of mean `bn_rm`, variance
    `bn_rv`, weight `bn_w` and bias `bn_b`.
    """
    rest = [1] * (conv_w.dim() - 2)
    shape = [1, -1, *rest] if transpose else [-1, 1, *rest]
    return _fused(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, shape)


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor,
    bn_b: Tensor,
) -> tuple[Parameter, Parameter]:
    """As fuse_conv_bn_weights, of a linear layer."""
    return _fused(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, [-1, 1])


def _check_eval(*modules):
    if any(module.training for module in modules):
        raise AssertionError("Fusion only for eval!")


def _statistics(bn):
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("Fusion needs a batch norm with running statistics")
    return bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias


def fuse_conv_bn_eval(conv: _M, bn: Module, transpose: bool = False) -> _M:
    """A convolution that computes both; neither is changed.

    Raises:
        AssertionError: one of them is in training, or the norm has no running statistics.
    """
    _check_eval(conv, bn)
    made = copy.deepcopy(conv)
    made.weight, made.bias = fuse_conv_bn_weights(
        made.weight, made.bias, *_statistics(bn), transpose
    )
    return made


def fuse_linear_bn_eval(linear: _M, bn: Module) -> _M:
    """A linear layer that computes both; neither is changed.

    Raises:
        AssertionError: one of them is in training, the norm has no running statistics, or other features.
    """
    _check_eval(linear, bn)
    if bn.num_features not in (1, linear.out_features):
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1"
        )
    made = copy.deepcopy(linear)
    made.weight, made.bias = fuse_linear_bn_weights(made.weight, made.bias, *_statistics(bn))
    return made
