"""The header of safetensors files: which tensors there are, and where their bytes lie."""

import json
import math

from opweave import _C

LARGEST = 100_000_000  # bytes of a header; the format's own limit
_METADATA = "__metadata__"


class SafetensorError(Exception):
    """A file that is not of the safetensors format, is damaged, or lacks what is asked for."""


def dtype_names():
    """The dtypes by their names in files."""
    return {dtype._safetensors: dtype for dtype in _C._dtypes}


class Entry:
    """A line of the header: dtype, shape, and the bytes from `begin` to `end` after the header."""

    __slots__ = ("begin", "dtype", "end", "shape")

    def __init__(self, dtype, shape, begin, end):
        self.dtype, self.shape, self.begin, self.end = dtype, shape, begin, end


def write_header(tensors, metadata):
    """The header of some tensors, and the order in which their bytes follow it.

    Those with the largest elements come first, so that all lie at multiples of their size.
    """
    order = sorted(tensors, key=lambda name: (-tensors[name].dtype.itemsize, name))
    header, at = ({_METADATA: metadata} if metadata else {}), 0
    for name in order:
        tensor = tensors[name]
        end = at + tensor.numel() * tensor.dtype.itemsize
        header[name] = {
            "dtype": tensor.dtype._safetensors,
            "shape": list(tensor.shape),
            "data_offsets": [at, end],
        }
        at = end
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text, order


def read_header(file, length, title):
    """The entries of a file by name, its metadata, and where the bytes begin.

    Args:
        file: open at its beginning.
        length: of the file, which its entries must fill without holes.
        title: how messages call it.

    Raises:
        SafetensorError: the header says anything else.
    """
    start = file.read(8)
    if len(start) < 8:
        raise SafetensorError(f"{title} is no safetensors file: it has {len(start)} bytes")
    size = int.from_bytes(start, "little")
    if size > LARGEST or size > length - 8:
        raise SafetensorError(
            f"{title} is no safetensors file, or was cut off: its header of {size} bytes would not "
            f"fit into {min(length - 8, LARGEST)}"
        )
    header = _parse(file.read(size), title)
    metadata = _metadata(header.pop(_METADATA, None), title)
    names, room = dtype_names(), length - 8 - size
    entries = {name: _entry(name, value, names, title) for name, value in header.items()}
    _check_cover(entries, room, title)
    return entries, metadata, 8 + size


def _parse(text, title):
    def unique(pairs):
        found = dict(pairs)
        if len(found) < len(pairs):
            raise ValueError("a name is there twice")
        return found

    try:
        header = json.loads(text.decode(), object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        raise SafetensorError(f"{title}: its header is no JSON ({error})") from None
    if not isinstance(header, dict):
        raise SafetensorError(f"{title}: its header is not an object of JSON")
    return header


def _metadata(value, title):
    if value is None:
        return None
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise SafetensorError(f"{title}: {_METADATA} must be an object of strings")
    return value


def _is_number(value):
    return type(value) is int and 0 <= value < 2**63


def _entry(name, value, names, title):
    """What the header says of one tensor, checked."""

    def refuse(why):
        raise SafetensorError(f"{title}: the tensor {name!r} {why}")

    if not isinstance(value, dict) or set(value) != {"dtype", "shape", "data_offsets"}:
        refuse("must have dtype, shape and data_offsets")
    if not isinstance(value["dtype"], str) or value["dtype"] not in names:
        refuse(f"has the dtype {value['dtype']!r}; known are {', '.join(sorted(names))}")
    dtype, shape, offsets = names[value["dtype"]], value["shape"], value["data_offsets"]
    if not isinstance(shape, list) or not all(map(_is_number, shape)):
        refuse("has a shape that is no list of sizes")
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(map(_is_number, offsets)):
        refuse("has data_offsets that are no two numbers")
    begin, end = offsets
    if end - begin != math.prod(shape) * dtype.itemsize:
        refuse(
            f"of shape {shape} and {value['dtype']} does not have the {end - begin} bytes it is given"
        )
    return Entry(dtype, tuple(shape), begin, end)


def _check_cover(entries, room, title):
    """Every byte after the header must belong to one tensor."""
    at = 0
    for name, entry in sorted(entries.items(), key=lambda item: (item[1].begin, item[1].end)):
        if entry.begin != at:
            raise SafetensorError(
                f"{title}: the tensor {name!r} begins at byte {entry.begin}; {at} is expected"
            )
        at = entry.end
    if at != room:
        raise SafetensorError(f"{title}: its tensors take {at} bytes, and it has {room} for them")
