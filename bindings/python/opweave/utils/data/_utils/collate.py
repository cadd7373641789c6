"""Examples become a batch: default_collate, default_convert, and `collate` with functions of a
program's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from opweave import _C
from opweave.utils.data._utils import containers
from opweave.utils.data._utils import worker as _worker

_WORTH_A_FILE = 1 << 14  # bytes: fewer are copied
_TEXT_OR_OBJECTS = "SaUO"  # kinds of NumPy's dtypes that no tensor has
np_str_obj_array_pattern = re.compile(f"[{_TEXT_OR_OBJECTS}]")  # libraries search dtypes for it


def _is_numpy(kind):
    return kind.__module__ == "numpy" and kind.__name__ not in ("str_", "string_", "bytes_")


def _has_no_tensor(array):
    return array.dtype.kind in _TEXT_OR_OBJECTS


def default_convert(data: Any) -> Any:
    """`data` with NumPy's arrays and numbers as tensors, also in mappings, sequences and named tuples.

    Everything else is left as it is; tuples become lists. DataLoader's `collate_fn` without batches.
    """
    kind = type(data)
    if isinstance(data, _C.Tensor):
        return data
    if _is_numpy(kind):
        if kind.__name__ == "ndarray" and _has_no_tensor(data):
            return data
        return _C.as_tensor(data)
    return containers.mapped(default_convert, data, lambda _, items: items)


def _registered(elem, functions):
    if functions is None:
        return None
    if type(elem) in functions:
        return functions[type(elem)]
    return next((f for kind, f in functions.items() if isinstance(elem, kind)), None)


# Under PyTorch's name: functions of programs for classes of their own say the same.
default_collate_err_msg_format = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)


def _refuse(found):
    raise TypeError(default_collate_err_msg_format.format(found))


def _collate_sequences(batch, together):
    elem = batch[0]
    for i, other in enumerate(batch):
        if len(other) != len(elem):
            raise RuntimeError(
                "default_collate: each element in list of batch should be of equal size, but "
                f"element 0 has {len(elem)} and element {i} has {len(other)}"
            )
    items = [together(samples) for samples in zip(*batch, strict=True)]
    return items if isinstance(elem, tuple) else containers.sequence_like(elem, items)


def collate(
    batch: Any, *, collate_fn_map: dict[type | tuple[type, ...], Callable[..., Any]] | None = None
) -> Any:
    """The examples of the list `batch` as one: containers as containers of batches.

    `collate_fn_map` says by the class of an example, or by a tuple of classes, which function makes a
    batch of
    them: `function(batch, collate_fn_map=...)`. The class itself comes before those that it derives
    from, which
    are tried in the order of the dictionary.
    """
    if len(batch) == 0:
        raise IndexError("default_collate: batch: expected at least one example, got none")
    elem = batch[0]
    if function := _registered(elem, collate_fn_map):
        return function(batch, collate_fn_map=collate_fn_map)

    def together(samples):
        return collate(samples, collate_fn_map=collate_fn_map)

    if isinstance(elem, Mapping):
        items = {key: together([example[key] for example in batch]) for key in elem}
        return containers.mapping_like(elem, items)
    if containers.is_namedtuple(elem):
        return type(elem)(*(together(samples) for samples in zip(*batch, strict=False)))
    if containers.is_sequence(elem):
        return _collate_sequences(batch, together)
    return _refuse(type(elem))


def collate_tensor_fn(batch, *, collate_fn_map=None):
    """Tensors of one size stacked; RuntimeError for layouts that cannot be."""
    elem = batch[0]
    if elem.is_nested or elem.layout is not _C.strided:
        kind = "nested" if elem.is_nested else f"sparse ({elem.layout})"
        raise RuntimeError(
            f"default_collate: batches of {kind} tensors are not supported; expected strided tensors, "
            "or a collate_fn that handles them"
        )
    if _worker.get_worker_info() is not None and _have_one_kind(batch):
        return _stacked_in_shared_memory(batch)
    return _C.stack(batch, 0)


def _have_one_kind(batch):
    """Whether a stack of the tensors is of the first one's dtype and size, and of no graph."""
    elem = batch[0]
    return all(
        type(t) is _C.Tensor
        and t.dtype is elem.dtype
        and t.shape == elem.shape
        and _C._is_host(t.device)
        and not t.requires_grad
        for t in batch
    )


def _stacked_in_shared_memory(batch):
    """A worker's batch, where the program can map it: it is sent without another copy."""
    elem, sizes = batch[0], (len(batch), *batch[0].shape)
    nbytes = len(batch) * elem.numel() * elem.element_size()
    if elem.dim() == 0 or nbytes < _WORTH_A_FILE:
        return _C.stack(batch, 0)
    elements = _C._new_shared_storage(nbytes)._bytes().view(elem.dtype)
    # A stack is the same elements one after the other along the first dimension that is there.
    _C.cat(batch, 0, out=elements.view(sizes[0] * sizes[1], *sizes[2:]))
    return elements.view(sizes)


def collate_numpy_array_fn(batch, *, collate_fn_map=None):
    """Arrays as a stacked tensor; TypeError for those of text or objects."""
    if _has_no_tensor(batch[0]):
        _refuse(batch[0].dtype)
    return collate([_C.as_tensor(array) for array in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch, *, collate_fn_map=None):
    """NumPy's numbers as a tensor of their dtype."""
    return _C.as_tensor(batch)


def collate_float_fn(batch, *, collate_fn_map=None):
    """Numbers as a tensor of float64."""
    return _C.tensor(batch, dtype=_C.float64)


def collate_int_fn(batch, *, collate_fn_map=None):
    """Integers as a tensor of int64, bools as one of bool."""
    return _C.tensor(batch)


def collate_str_fn(batch, *, collate_fn_map=None):
    """Text is left as it is."""
    return batch


def _default_functions():
    functions = {_C.Tensor: collate_tensor_fn}
    try:
        import numpy as np
    except ImportError:
        pass
    else:
        functions[np.ndarray] = collate_numpy_array_fn
        functions[(np.bool_, np.number, np.object_)] = collate_numpy_scalar_fn
    functions[float] = collate_float_fn
    functions[int] = collate_int_fn
    functions[str] = functions[bytes] = collate_str_fn
    return functions


default_collate_fn_map = _default_functions()


def default_collate(batch: Any) -> Any:
    """The examples of the list `batch` as one, with a first dimension more.

    Tensors of one size are stacked; NumPy's arrays and numbers, ints, bools and floats (as float64)
    become tensors;
    text stays a list. Mappings, named tuples and sequences become such of batches, tuples lists. DataLoader's
    `collate_fn`; `_utils.collate.default_collate_fn_map` takes functions for further classes.
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)
