"""Files of the safetensors format, with the names of `safetensors` and `safetensors.torch`.

Tensors are not copied when a file is read: they lie in the mapped file, privately.
"""

from __future__ import annotations

import io
import itertools
import mmap
import os
from os import PathLike
from typing import Any, Self

from opweave import _C
from opweave._atomic_files import replacing
from opweave._C import Tensor
from opweave.nn.modules.module import Module
from opweave.utils._safetensors_header import SafetensorError, read_header, write_header

__all__ = [
    "SafetensorError",
    "load",
    "load_file",
    "load_model",
    "safe_open",
    "save",
    "save_file",
    "save_model",
]


def save_file(
    tensors: dict[str, Tensor],
    filename: str | PathLike[str],
    metadata: dict[str, str] | None = None,
) -> None:
    """Writes tensors to a file, which takes the place of an old one in one step.

    Args:
        tensors: a dict from names to dense, contiguous tensors that share no memory.
        filename: a path.
        metadata: a dict from str to str, for the reader.

    Raises:
        ValueError: a tensor is not contiguous, or not dense.
        RuntimeError: tensors share memory; save_model() keeps one of them.
        TypeError: a name, a tensor or a piece of metadata is of another type.
    """
    _check(tensors, metadata)
    with replacing(filename) as file:
        _write(file, tensors, metadata)


def save(tensors: dict[str, Tensor], metadata: dict[str, str] | None = None) -> bytes:
    """The bytes of a file. Arguments and errors are those of save_file()."""
    _check(tensors, metadata)
    file = io.BytesIO()
    _write(file, tensors, metadata)
    return file.getvalue()


def _check(tensors, metadata):
    if not isinstance(tensors, dict):
        raise ValueError(f"a dict from names to tensors is expected, not {type(tensors).__name__}")
    for name, tensor in tensors.items():
        if not isinstance(name, str) or not isinstance(tensor, _C.Tensor):
            raise ValueError(
                f"a dict from str to Tensor is expected, but {name!r} is {type(tensor).__name__}"
            )
        if tensor.layout != _C.strided or tensor.is_meta:
            raise ValueError(
                f"the tensor {name!r} has no dense data: {tensor.layout}, {tensor.device}"
            )
        if not tensor.is_contiguous():
            raise ValueError(
                f"the tensor {name!r} is not contiguous; the format has contiguous ones only. "
                "contiguous() makes one"
            )
    for key, text in (metadata or {}).items():
        if not isinstance(key, str) or not isinstance(text, str):
            raise TypeError(f"metadata must be from str to str, but has {key!r}: {text!r}")
    shared = _shared(tensors)
    if shared:
        raise RuntimeError(
            f"the tensors {shared} share memory, which the format does not know: they would be "
            "saved several times. save_model() keeps one of them; clone() parts them"
        )


def _shared(tensors):
    """The names of the first tensors that lie over one another."""
    spans = sorted(
        (str(t.device), t.data_ptr(), t.data_ptr() + t.numel() * t.dtype.itemsize, name)
        for name, t in tensors.items()
        if t.numel()
    )
    for before, after in itertools.pairwise(spans):
        if before[0] == after[0] and after[1] < before[2]:
            return [before[3], after[3]]
    return []


def _write(file, tensors, metadata):
    header, order = write_header(tensors, metadata)
    file.write(header)
    for name in order:
        file.write(_bytes_of(tensors[name]))


def _bytes_of(tensor):
    """The bytes of a contiguous tensor as a buffer of host memory."""
    host = tensor.detach().cpu()
    start = host.storage_offset() * host.dtype.itemsize
    view = memoryview(host.untyped_storage()).cast("B")
    return view[start : start + host.numel() * host.dtype.itemsize]


class safe_open:  # noqa: N801
    """A file whose tensors are read one by one; a context.

    Args:
        filename: a path.
        framework: "pt", for tensors; other words of the safetensors package are refused.
        device: where tensors shall be. In host memory they lie in the mapped file.

    Raises:
        FileNotFoundError: there is no such file.
        SafetensorError: it is no safetensors file, or is damaged.
    """

    def __init__(
        self,
        filename: str | PathLike[str],
        framework: str = "pt",
        device: _C.device | str | int | None = None,
    ) -> None:
        if framework not in ("pt", "torch", "pytorch", "opweave"):
            raise SafetensorError(f"safe_open(): framework must be 'pt', not {framework!r}")
        self._title, self._device = os.fspath(filename), device
        with open(filename, "rb") as file:
            length = file.seek(0, os.SEEK_END)
            file.seek(0)
            self._entries, self._metadata, self._start = read_header(file, length, self._title)
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._data = None  # tensors that were read keep it

    def keys(self) -> list[str]:
        """The names of the tensors, sorted."""
        return sorted(self._entries)

    def offset_keys(self) -> list[str]:
        """The names of the tensors, as their bytes lie in the file."""
        entries = self._entries
        return sorted(entries, key=lambda name: (entries[name].begin, entries[name].end, name))

    def metadata(self) -> dict[str, str] | None:
        """The dict from str to str that was saved with them, or None."""
        return self._metadata

    def _entry(self, name):
        if self._data is None:
            raise SafetensorError(f"{self._title} is closed")
        if name not in self._entries:
            raise SafetensorError(f"{self._title} does not contain tensor {name}")
        return self._entries[name]

    def get_tensor(self, name: str) -> Tensor:
        """A tensor by its name."""
        tensor = _tensor(self._data, self._start, self._entry(name))
        return tensor if self._device is None else tensor.to(self._device)

    def get_slice(self, name: str) -> _Slice:
        """A tensor by its name, of which a part can be taken before anything is read."""
        return _Slice(_tensor(self._data, self._start, self._entry(name)), self._device)


class _Slice:
    """A tensor in a file."""

    def __init__(self, tensor: Tensor, device: Any) -> None:
        self._tensor, self._device = tensor, device

    def get_shape(self) -> list[int]:
        return list(self._tensor.shape)

    def get_dtype(self) -> str:
        return self._tensor.dtype._safetensors

    def __getitem__(self, index: Any) -> Tensor:
        part = self._tensor[index]
        return part.clone() if self._device is None else part.to(self._device)


def _tensor(data, start, entry):
    """A tensor over its bytes in a writable buffer; a copy where they do not lie as a tensor must."""
    offset, size = start + entry.begin, entry.end - entry.begin
    strides = [1]
    for length in reversed(entry.shape[1:]):
        strides.append(strides[-1] * max(length, 1))
    storage = _C._storage_of_buffer(data, offset, size)
    if offset % entry.dtype.itemsize:
        storage = _C.UntypedStorage(storage)
    strides = tuple(reversed(strides)) if entry.shape else ()
    return _C._tensor_from_storage(storage, entry.dtype, 0, entry.shape, strides)


def load_file(
    filename: str | PathLike[str], device: _C.device | str | int | None = None
) -> dict[str, Tensor]:
    """All tensors of a file by name; in host memory they lie in the mapped file.

    Args and errors are those of safe_open().
    """
    with safe_open(filename, device=device) as file:
        return {name: file.get_tensor(name) for name in file.offset_keys()}


def load(data: bytes) -> dict[str, Tensor]:
    """All tensors of a file that was read into bytes, copied once."""
    entries, _, start = read_header(io.BytesIO(data), len(data), "the bytes")
    copy = bytearray(data)
    return {name: _tensor(copy, start, entry) for name, entry in entries.items()}


def save_model(
    model: Module,
    filename: str | PathLike[str],
    metadata: dict[str, str] | None = None,
    force_contiguous: bool = True,
) -> None:
    """Writes the state of a module; of tensors that are the same one is kept.

    The metadata name the others.

    Raises:
        ValueError: tensors share memory without being the same, or are not contiguous.
    """
    kept, same = {}, dict(metadata or {})
    by_place = {}
    for name, tensor in model.state_dict().items():
        place = (
            str(tensor.device),
            tensor.data_ptr(),
            tuple(tensor.shape),
            tensor.stride(),
            tensor.dtype,
        )
        first = by_place.setdefault(place, name) if tensor.numel() else name
        if first != name:
            same[name] = first
            continue
        kept[name] = tensor.contiguous() if force_contiguous else tensor
    save_file(kept, filename, {"format": "pt", **same})


def load_model(
    model: Module,
    filename: str | PathLike[str],
    strict: bool = True,
    device: _C.device | str | int | None = None,
) -> tuple[set[str], list[str]]:
    """Copies the tensors of a file into a module.

    Returns:
        The names that the file lacks, and those that the module lacks.

    Raises:
        RuntimeError: with `strict`, there are such names; shapes differ.
    """
    state = load_file(filename, device)
    result = model.load_state_dict(state, strict=False)
    own = model.state_dict()
    places = {own[name].data_ptr() for name in state if name in own}
    missing = {name for name in result.missing_keys if own[name].data_ptr() not in places}
    if strict and (missing or result.unexpected_keys):
        raise RuntimeError(
            f"{os.fspath(filename)} does not fit {type(model).__name__}: it lacks {sorted(missing)}, "
            f"and has {sorted(result.unexpected_keys)} beside"
        )
    return missing, result.unexpected_keys
