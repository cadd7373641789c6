"""Tensors copied to devices and put together from them, under PyTorch's names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from opweave import _C, accelerator
from opweave._C import Tensor
from opweave._C import device as _device
from opweave._random import default_generator
from opweave.nn.parallel.scatter_gather import device_of

__all__ = [
    *(
        "broadcast",
        "broadcast_coalesced",
        "gather",
        "reduce_add",
        "reduce_add_coalesced",
        "scatter",
    ),
]


def _one_of(function, devices, out):
    if (devices is None) == (out is None):
        raise RuntimeError(
            f"Exactly one of 'devices' and 'out' must be specified of {function}(), but got "
            f"devices={devices} and out={out}"
        )


def _destination(destination):
    host = default_generator.device
    if destination is not None:
        return host if destination == -1 else device_of(destination)
    found = accelerator.current_accelerator()
    return host if found is None else device_of(accelerator.current_device_index())


def broadcast(
    tensor: Tensor,
    devices: Iterable[_device | str | int] | None = None,
    *,
    out: Sequence[Tensor] | None = None,
) -> tuple[Tensor, ...]:
    """The tensor on each device: in new tensors, or copied into those of `out`.

    Raises:
        RuntimeError: neither devices nor out, or both.
    """
    _one_of("broadcast", devices, out)
    if devices is not None:
        return tuple(tensor.to(device_of(device)) for device in devices)
    for one in out:
        one.copy_(tensor)
    return tuple(out)


def broadcast_coalesced(
    tensors: Sequence[Tensor], devices: Iterable[_device | str | int], buffer_size: int = 10485760
) -> list[list[Tensor]]:
    """For each device a list of all tensors there. Nothing is put into buffers, whatever their size."""
    return [[tensor.to(device_of(device)) for tensor in tensors] for device in devices]


def reduce_add(inputs: Sequence[Tensor], destination: _device | str | int | None = None) -> Tensor:
    """The sum of tensors of several devices on one of them.

    Raises:
        ValueError: no tensors, or tensors of different sizes.
    """
    if len(inputs) == 0:
        raise ValueError("reduce_add(): expected at least one tensor, got none")
    first, device = inputs[0], _destination(destination)
    for i, other in enumerate(inputs):
        if other.shape != first.shape:
            got, expected = ("x".join(map(str, t.shape)) for t in (other, first))
            raise ValueError(f"input {i} has invalid size: got {got}, but expected {expected}")
    total = first.to(device)
    for other in inputs[1:]:
        total = total + other.to(device)
    return total


def reduce_add_coalesced(
    inputs: Iterable[Sequence[Tensor]],
    destination: _device | str | int | None = None,
    buffer_size: int = 10485760,
) -> tuple[Tensor, ...]:
    """Of lists with a tensor of each device the sums. Nothing is put into buffers."""
    return tuple(reduce_add(tensors, destination) for tensors in zip(*inputs, strict=True))


def scatter(
    tensor: Tensor,
    devices: Iterable[_device | str | int] | None = None,
    chunk_sizes: Iterable[int] | None = None,
    dim: int = 0,
    streams: Iterable[Any] | None = None,
    *,
    out: Sequence[Tensor] | None = None,
) -> tuple[Tensor, ...]:
    """Parts of a tensor along a dimension, each on its device: equal ones, or of given sizes.

    Raises:
        RuntimeError: neither devices nor out, or both; sizes that are not those of the tensor.
    """
    _one_of("scatter", devices, out)
    if out is not None:
        parts = tensor.split([one.size(dim) for one in out], dim)
        for one, part in zip(out, parts, strict=True):
            one.copy_(part)
        return tuple(out)
    devices = [device_of(device) for device in devices]
    parts = (
        tensor.chunk(len(devices), dim) if chunk_sizes is None else tensor.split(chunk_sizes, dim)
    )
    return tuple(part.to(device) for part, device in zip(parts, devices, strict=False))


def gather(
    tensors: Iterable[Tensor],
    dim: int = 0,
    destination: _device | str | int | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Tensors of several devices joined along a dimension, on one of them or in `out`.

    Raises:
        RuntimeError: a destination and out.
    """
    if out is None:
        device = _destination(destination)
        return _C.cat([tensor.to(device) for tensor in tensors], dim)
    if destination is not None:
        raise RuntimeError(
            f"'destination' must not be specified when 'out' is specified, but got destination={destination}"
        )
    return out.copy_(_C.cat([tensor.to(out.device) for tensor in tensors], dim))
