"""Arguments shared among devices, and results put together, whatever containers they come in."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from opweave import _C, accelerator

__all__ = ["gather", "is_namedtuple", "scatter", "scatter_kwargs"]


def is_namedtuple(obj: Any) -> bool:
    """Whether an object is of a class that collections.namedtuple() or typing.NamedTuple made."""
    return isinstance(obj, tuple) and hasattr(obj, "_asdict") and hasattr(obj, "_fields")


def _rebuild(like, items):
    """A container of the same class with other items."""
    if is_namedtuple(like):
        return type(like)(*items)
    return type(like)(items)


def device_of(device: _C.device | str | int) -> _C.device:
    """A device that is given as such, as a name, or as a number of the accelerator's."""
    if isinstance(device, int) and not isinstance(device, bool):
        kind = accelerator.current_accelerator()
        return _C.device(device if kind is None else f"{kind.type}:{device}")
    return _C.device(device)


def scatter(inputs: Any, target_gpus: Sequence[_C.device | str | int], dim: int = 0) -> Any:
    """For each device its part: tensors in equal chunks along `dim`, what is no tensor as it is.

    Args:
        inputs: a tensor, or tuples, lists and dicts of them, in any depth.
        target_gpus: devices, or numbers of the accelerator's.

    Returns:
        list or tuple: as many parts as there are chunks, which may be fewer than devices.
    """
    devices = [device_of(d) for d in target_gpus]
    return _scatter(inputs, devices, dim)


def _scatter(value, devices, dim):
    if isinstance(value, _C.Tensor):
        parts = value.chunk(len(devices), dim)
        return tuple(part.to(d) for part, d in zip(parts, devices, strict=False))
    if isinstance(value, (tuple, list)) and len(value) > 0:
        parts = zip(*(_scatter(item, devices, dim) for item in value), strict=False)
        return [_rebuild(value, items) for items in parts]
    if isinstance(value, dict) and len(value) > 0:
        parts = zip(*(_scatter(item, devices, dim) for item in value.items()), strict=False)
        return [type(value)(items) for items in parts]
    return [value for _ in devices]


def scatter_kwargs(
    inputs: tuple[Any, ...],
    kwargs: dict[str, Any] | None,
    target_gpus: Sequence[_C.device | str | int],
    dim: int = 0,
) -> tuple[tuple[Any, ...], tuple[dict[str, Any], ...]]:
    """The positional arguments and the keywords of each device; where there are fewer of one, empty ones.

    Returns:
        tuple of two tuples: of tuples, and of dicts.
    """
    devices = [device_of(d) for d in target_gpus]
    inputs = list(_scatter(inputs, devices, dim)) if inputs else []
    kwargs = list(_scatter(kwargs, devices, dim)) if kwargs else []
    count = max(len(inputs), len(kwargs))
    inputs += [()] * (count - len(inputs))
    kwargs += [{}] * (count - len(kwargs))
    return tuple(inputs), tuple(kwargs)


def gather(outputs: Any, target_device: _C.device | str | int, dim: int = 0) -> Any:
    """The devices' results as one on a device: tensors joined along `dim`, numbers as a vector.

    Raises:
        ValueError: dicts of different keys.
    """
    return _gather(list(outputs), device_of(target_device), dim)


def _gather(outputs, device, dim):
    first = outputs[0]
    if isinstance(first, _C.Tensor):
        return _joined(outputs, device, dim)
    if first is None:
        return None
    if isinstance(first, dict):
        if any(len(first) != len(other) for other in outputs):
            raise ValueError("All dicts must have the same number of keys")
        return type(first)((key, _gather([o[key] for o in outputs], device, dim)) for key in first)
    return _rebuild(first, [_gather(items, device, dim) for items in zip(*outputs, strict=True)])


def _joined(tensors, device, dim):
    if all(t.dim() == 0 for t in tensors) and dim == 0:
        warnings.warn(
            "Was asked to gather along dimension 0, but all input tensors were scalars; will instead "
            "unsqueeze and return a vector.",
            stacklevel=4,
        )
        tensors = [t.unsqueeze(0) for t in tensors]
    return _C.cat([t.to(device) for t in tensors], dim)
