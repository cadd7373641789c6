"""Tensors within what a forward pass is given and what it returns."""

import dataclasses

from opweave import _C


def tensors_in(value):
    """The tensors in what a forward pass returned."""
    if isinstance(value, _C.Tensor):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors_in(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from tensors_in(getattr(value, field.name))


def moved(value, device):
    """The same with its tensors on `device`."""
    if isinstance(value, _C.Tensor):
        return value.to(device)
    if isinstance(value, dict):
        return type(value)((key, moved(item, device)) for key, item in value.items())
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(moved(item, device) for item in value))
    if isinstance(value, (list, tuple)):
        return type(value)(moved(item, device) for item in value)
    return value
