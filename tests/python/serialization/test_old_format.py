"""Files of the format that PyTorch wrote before version 1.6: read, and told where they are damaged."""

import collections
import io
import pickle
import random
import time

import opweave
import pytest
from reference import files
from support.same import same

MAGIC, VERSION = 0x1950A86A20F9469CFC6C, 1001
CLEAR = (pickle.UnpicklingError, RuntimeError, EOFError)


class _Named:
    """Stands for a storage, which pickles name."""

    def __init__(self, *name):
        self.name = name


class _Global:
    """Pickled as a name of PyTorch's."""

    def __init__(self, module, name):
        self.module, self.name = module, name


class _Tensor:
    def __init__(self, storage, offset=0, size=(2,), stride=(1,), version=2):
        self.parts = storage, offset, size, stride
        self.version = version

    def __reduce__(self):
        made = _Global("torch._utils", "_rebuild_tensor" + ("_v2" if self.version == 2 else ""))
        rest = (False, collections.OrderedDict()) if self.version == 2 else ()
        return _call, (made, *self.parts, *rest)


class _New:
    """Pickled as an object of a class that is made of arguments."""

    def __init__(self, cls, *arguments):
        self.cls, self.arguments = cls, arguments


def _call(*arguments):
    """Never called: its place in a pickle is that of its first argument."""
    raise AssertionError


class _Pickler(pickle._Pickler):
    def persistent_id(self, obj):
        return obj.name if isinstance(obj, _Named) else None

    def save(self, obj, *args, **kwargs):
        if isinstance(obj, _Global):
            self.write(pickle.GLOBAL + f"{obj.module}\n{obj.name}\n".encode())
        elif isinstance(obj, _Tensor):
            _, (made, *rest) = obj.__reduce__()
            self.save(made)
            self.save(tuple(rest))
            self.write(pickle.REDUCE)
        elif isinstance(obj, _New):
            self.save(obj.cls)
            self.save(obj.arguments)
            self.write(pickle.NEWOBJ)
        else:
            super().save(obj, *args, **kwargs)


def _pickled(value):
    file = io.BytesIO()
    _Pickler(file, 2).dump(value)
    return file.getvalue()


def _storage(key="0", elements=2, kind="FloatStorage", location="cpu", view=None):
    return _Named("storage", _Global("torch", kind), key, location, elements, view)


def _bytes(values, dtype=None):
    data = opweave.tensor(values, dtype=dtype or opweave.float32).numpy().tobytes()
    return len(values).to_bytes(8, "little") + data


def _file(value, keys=("0",), data=None):
    parts = [MAGIC, VERSION, {"little_endian": True}, value, list(keys)]
    return b"".join(map(_pickled, parts)) + (_bytes([1.0, 2.0]) if data is None else data)


def _load(content, **options):
    return opweave.load(io.BytesIO(content), **options)


@pytest.mark.parametrize("weights_only", [True, False])
def test_pytorchs_own_file(weights_only):
    found = opweave.load(files.FOLDER / "old.pt", weights_only=weights_only)
    same(found, files.views(opweave))
    assert len({t.untyped_storage()._cdata for t in found.values()}) == 1


@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize("version", [1, 2])
def test_tensors_of_either_version(version, weights_only):
    content = _file({"w": _Tensor(_storage(), 1, (1,), version=version)})
    assert _load(content, weights_only=weights_only)["w"].tolist() == [2.0]


def test_storages_in_the_order_of_their_keys():
    value = [_Tensor(_storage("7")), _Tensor(_storage("x", 3, "LongStorage"), size=(3,))]
    data = _bytes([5, 6, 7], opweave.int64) + _bytes([1.0, 2.0])
    found = _load(_file(value, ["x", "7"], data))
    assert [t.tolist() for t in found] == [[1.0, 2.0], [5, 6, 7]]


def test_views_of_storages_share_them():
    view = ("v", 1, 2)
    part = _storage("0", 3, view=view)
    value = [_Tensor(_storage("0", 3), size=(3,)), _Tensor(part), _Tensor(part, 1, (1,))]
    whole, first, second = _load(_file(value, data=_bytes([1.0, 2.0, 3.0])))
    assert [t.tolist() for t in (whole, first, second)] == [[1.0, 2.0, 3.0], [2.0, 3.0], [3.0]]
    whole[2] = 9
    assert [first.tolist(), second.tolist()] == [[2.0, 9.0], [9.0]]


def test_of_python_2():
    """Text is bytes there, and goes by the encoding."""
    content = _file({"w": _Tensor(_storage())}).replace(b"X\1\0\0\0w", b"U\1w")
    assert list(_load(content)) == ["w"]
    content = content.replace(b"U\1w", b"U\1\xfc")
    with pytest.raises(pickle.UnpicklingError):
        _load(content)
    assert list(_load(content, encoding="latin1")) == ["ü"]


def test_what_is_made_before_its_elements_are_read(monkeypatch):
    """A packed sequence knows what batch sizes may be, and memory that is not filled yet holds anything."""

    def of_anything(size):
        return opweave.arange(size // 8).untyped_storage()  # sizes that rise

    monkeypatch.setattr("opweave.serialization._old_format.UntypedStorage", of_anything)
    sizes = _Tensor(_storage("1", 3, "LongStorage"), size=(3,))
    packed = _Global("torch.nn.utils.rnn", "PackedSequence")
    value = _New(packed, _Tensor(_storage("0", 4), size=(4,)), sizes, None, None)
    data = _bytes([1.0, 2.0, 3.0, 4.0]) + _bytes([2, 1, 1], opweave.int64)
    found = _load(_file(value, ["0", "1"], data), weights_only=False)
    assert type(found) is opweave.nn.utils.rnn.PackedSequence
    assert found.batch_sizes.tolist() == [2, 1, 1]
    rows, lengths = opweave.nn.utils.rnn.pad_packed_sequence(found)
    assert rows.tolist() == [[1.0, 2.0], [3.0, 0.0], [4.0, 0.0]]
    assert lengths.tolist() == [3, 1]


def test_several_in_one_file():
    file = io.BytesIO(b"before" + _file([1, _Tensor(_storage())]) + _file("second", [], b"") + b"!")
    file.seek(6)
    assert opweave.load(file)[1].tolist() == [1.0, 2.0]
    assert opweave.load(file) == "second"
    assert file.read() == b"!"


def test_of_a_file_that_can_do_no_more_than_it_must():
    inner = io.BytesIO(_file({"w": _Tensor(_storage())}))

    class Least:
        read, seek, tell = inner.read, inner.seek, inner.tell

    assert opweave.load(Least())["w"].tolist() == [1.0, 2.0]


def test_on_another_device():
    content = _file({"w": _Tensor(_storage(location="cuda:0"))})
    assert _load(content, map_location="cpu")["w"].tolist() == [1.0, 2.0]
    assert _load(content, map_location="meta")["w"].is_meta
    file = io.BytesIO(content + b"!")
    opweave.load(file, map_location="meta")
    assert file.read() == b"!"
    seen = []
    found = _load(content, map_location=lambda storage, place: seen.append(place) or storage)
    assert (found["w"].tolist(), seen) == ([1.0, 2.0], ["cuda:0"])


def test_what_is_not_allowed_is_refused():
    with pytest.raises(pickle.UnpicklingError, match=r"os\.system"):
        _load(_file({"w": _Global("os", "system")}))
    file = io.BytesIO(_file({"w": _Global("torch.nn", "Linear")}, [], b""))
    unsafe = opweave.serialization.get_unsafe_globals_in_checkpoint(file)
    assert (unsafe, file.tell()) == (["torch.nn.Linear"], 0)
    assert opweave.load(file, weights_only=False)["w"] is opweave.nn.Linear


def test_classes_that_were_saved_with_their_text():
    named = _Named("module", _Global("torch.nn", "Linear"), "linear.py", "class Linear")
    found = _load(_file({"c": named}, [], b""), weights_only=False)
    assert found["c"] is opweave.nn.Linear


def test_is_not_mapped(tmp_path):
    (tmp_path / "old.pt").write_bytes(_file([], []))
    with pytest.raises(RuntimeError, match=r"before version 1\.6, which mmap=True does not read"):
        opweave.load(tmp_path / "old.pt", mmap=True)


def test_a_file_cut_off_anywhere():
    content = _file({"w": _Tensor(_storage()), "x": "y"})
    for length in range(len(content)):
        with pytest.raises(CLEAR):
            _load(content[:length])


def test_what_is_announced_and_not_there_takes_no_time_and_memory():
    head = b"".join(map(_pickled, (MAGIC, VERSION, {})))
    long = b"1" * (1 << 21)
    announced = (1 << 60).to_bytes(8, "little")
    for data in (b"\x80\2I" + long + b"\n.", b"\x80\2I" + long, b"\x80\4\x8d" + announced + b"x."):
        began = time.monotonic()
        with pytest.raises(CLEAR):
            _load(head + data)
        assert time.monotonic() - began < 5  # a line was read anew for each of its parts


def test_changed_bytes_anywhere():
    content, draw = _file({"w": _Tensor(_storage(), 1, (1,)), "x": [1, "y"]}), random.Random(0)
    for _ in range(2000):
        changed = bytearray(content)
        for _ in range(draw.randint(1, 3)):
            changed[draw.randrange(len(changed))] = draw.randrange(256)
        try:
            _load(bytes(changed))
        except CLEAR:
            continue


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (_file(_Tensor(_storage(elements=1 << 60))), "a storage of 1152921504606846976 elements"),
        (_file(_Tensor(_storage(elements=-1))), "a storage of -1 elements"),
        (_file([_Tensor(_storage(str(i))) for i in range(3)]), "are left for it"),
        (
            _file(_Tensor(_storage()), []),
            r"names the storages \['0'\], and says that those of \[\]",
        ),
        (_file(1, ["0"]), r"names the storages \[\]"),
        (_file(_Tensor(_storage()), ["0", "0"]), "follow"),
        (_file(_Tensor(_storage()), [1]), "no list of its storages"),
        (
            _file(_Tensor(_storage()), data=_bytes([1.0, 2.0, 3.0])),
            "has 2 elements of opweave.float32",
        ),
        (_file(_Tensor(_storage(), 1)), "storage"),
        (_file(_Tensor(_storage("0", 2, view=("v", 1, 2)))), "a view of elements 1 to 1"),
        (_file(_Tensor(_storage("0", 2, view=("v", -1, 2)))), "a view of elements"),
        (_file(_Tensor(_storage("0", 2, view=("v", 0)))), "a view of a storage is not of"),
        (_file([_Tensor(_storage()), _Tensor(_storage("0", 1), size=(1,))]), "two dtypes or sizes"),
        (
            _file(_Tensor(_Named("storage", _Global("torch", "float32"), "0", "cpu", 2, None))),
            "class",
        ),
        (_file(_Tensor(_Named("other", 1))), "no storage of the file"),
    ],
)
def test_what_is_wrong_is_told(content, text):
    file = io.BytesIO(content)
    with pytest.raises(CLEAR, match=text):
        opweave.load(file)
    assert file.tell() == 0
