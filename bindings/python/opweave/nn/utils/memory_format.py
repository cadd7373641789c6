"""Weights of convolutions in another order of memory."""

from __future__ import annotations

from typing import TypeVar

from opweave._C import memory_format as _format
from opweave.nn.modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d
from opweave.nn.modules.module import Module

_M = TypeVar("_M", bound=Module)

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]


def _convert(module, memory_format, classes):
    for each in module.modules():
        if isinstance(each, classes):
            each.weight.data = each.weight.detach().clone(memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module: _M, memory_format: _format) -> _M:
    """Lays out the weights of all 2-D convolutions of a module; returns it."""
    return _convert(module, memory_format, (Conv2d, ConvTranspose2d))


def convert_conv3d_weight_memory_format(module: _M, memory_format: _format) -> _M:
    """Lays out the weights of all 3-D convolutions of a module; returns it."""
    return _convert(module, memory_format, (Conv3d, ConvTranspose3d))
