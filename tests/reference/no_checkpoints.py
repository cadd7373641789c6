"""Files that are no checkpoint, or the rest of one, and what load() says of them in either module."""

import io
import pickle
import random
import struct
import tarfile
import zipfile

_OLD = 0x1950A86A20F9469CFC6C  # what files of before PyTorch 1.6 begin with
WAYS = (None, True, False)  # of weights_only


def _tar(*names):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name in names:
            info = tarfile.TarInfo(name)
            info.size = 3
            archive.addfile(info, io.BytesIO(b"abc"))
    return file.getvalue()


def _zip(**records):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in records.items():
            archive.writestr(f"x/{name}", content)
    return file.getvalue()


def _pickles(*values, protocol=2):
    return b"".join(pickle.dumps(value, protocol) for value in values)


_WHOLE = _zip(**{"data.pkl": _pickles({"a": 1}), "version": "3\n"})
_OLD_WHOLE = _pickles(_OLD, 1001, {"little_endian": True}, {"a": 1}, [])
_DRAWN = random.Random(1).randbytes(600)
FILES = {
    "empty": b"",
    "text": b"hello world\n",
    "one letter": b"a",
    "a line": b"\n",
    "a page": b"<!DOCTYPE html><html>404</html>\n",
    "a pointer of git": b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 10\n",
    "json": b'{"a": 1}\n',
    "yaml": b"a: 1\n",
    "csv": b"1,2\n3,4\n",
    "zeros": bytes(600),
    **{f"random {i}": _DRAWN[i : i + 300] for i in range(24)},
    "zip of others": _zip(**{"a.txt": b"x"}),
    "zip without records": _zip(),
    "zip without a version": _zip(**{"data.pkl": _pickles({"a": 1})}),
    "zip with text for its pickle": _zip(**{"data.pkl": b"hello", "version": b"3\n"}),
    "zip that ends early": _WHOLE[:-10],
    "zip that begins": b"PK\3\4" + b"x" * 100,
    "two letters of a zip": b"PK",
    "checkpoint": _WHOLE,
    "tar": _tar("a.txt"),
    "tar of the first versions": _tar("storages", "tensors", "pickle"),
    "npy": b"\x93NUMPY\1\0v\0{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }" + bytes(60),
    "npz": _zip(**{"arr_0.npy": b"\x93NUMPY"}),
    "safetensors": struct.pack("<Q", 2) + b"{}",
    "gzip": b"\x1f\x8b\x08\0" + bytes(50),
    "hdf5": b"\x89HDF\r\n\x1a\n" + bytes(40),
    "elf": b"\x7fELF" + bytes(60),
    "png": b"\x89PNG\r\n\x1a\n" + bytes(30),
    "onnx": b"\x08\x07\x12\x07pytorch" + bytes(30),
    "gguf": b"GGUF\3" + bytes(30),
    **{f"pickle of protocol {p}": _pickles({"a": 1}, protocol=p) for p in range(6)},
    "pickle of a number": _pickles(1),
    "pickle of text": _pickles("abc"),
    "two pickles": _pickles(1, 2),
    "pickle that ends early": _pickles({"a": 1})[:-3],
    "old checkpoint": _OLD_WHOLE,
    "old checkpoint of protocol 4": _pickles(_OLD, 1001, {}, {"a": 1}, [], protocol=4),
    "old, of another version": _pickles(_OLD, 1002, {}, {"a": 1}, []),
    "old, without a version": _pickles(_OLD),
    "old, without its content": _pickles(_OLD, 1001, {}),
    "old, without its list": _OLD_WHOLE[: -len(_pickles([]))],
}


def answer(module, name, weights_only):
    """What is read, or the class of the error."""
    try:
        return {"read": module.load(io.BytesIO(FILES[name]), weights_only=weights_only)}
    except Exception as error:
        return {"error": type(error).__name__}


def record(module):
    """All answers of one module."""
    return {name: [answer(module, name, way) for way in WAYS] for name in FILES}
