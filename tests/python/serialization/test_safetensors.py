"""safetensors: files of the package are read, ours are its format, and what is neither is refused."""

import json
import pathlib

import opweave
import pytest
from opweave import nn
from opweave.utils import safetensors
from opweave.utils.safetensors import SafetensorError
from reference import files


def everything():
    """A tensor of each dtype."""
    return {
        name: opweave.arange(6).to(getattr(opweave, name)).reshape(2, 3) for name in files.DTYPES
    }


def test_a_file_of_the_package():
    """Written by safetensors 0.8 with PyTorch."""
    path = files.FOLDER / "package.safetensors"
    found = safetensors.load_file(path)
    assert list(found) == ["x", "s", "z", "y", "u"]
    assert opweave.equal(found["x"], opweave.arange(12).reshape(3, 4))
    assert (found["s"].item(), found["s"].shape) == (2.5, ())
    assert (found["z"].shape, found["z"].dtype) == ((2, 0), opweave.float32)
    assert (found["y"].tolist(), found["y"].dtype) == ([1, 1, 1], opweave.bfloat16)
    assert (found["u"].tolist(), found["u"].dtype) == ([1, 1, 1], opweave.uint16)
    with safetensors.safe_open(path, "pt") as file:
        assert file.metadata() == {"by": "torch"}
        assert file.keys() == ["s", "u", "x", "y", "z"]


def test_there_and_back(tmp_path):
    path = tmp_path / "a.safetensors"
    safetensors.save_file(everything(), path, {"k": "v"})
    for found in (safetensors.load_file(path), safetensors.load(path.read_bytes())):
        assert sorted(found) == sorted(files.DTYPES)
        for name, tensor in everything().items():
            assert found[name].dtype == tensor.dtype
            assert found[name].shape == (2, 3)
            assert opweave.equal(found[name].to(opweave.float64), tensor.to(opweave.float64))
    assert safetensors.save(everything(), {"k": "v"}) == path.read_bytes()


def test_the_header_says_what_lies_where():
    data = safetensors.save({"b": opweave.ones(3, dtype=opweave.uint8), "a": opweave.tensor([2.0])})
    size = int.from_bytes(data[:8], "little")
    assert size % 8 == 0
    assert json.loads(data[8 : 8 + size]) == {
        "a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},
        "b": {"dtype": "U8", "shape": [3], "data_offsets": [4, 7]},
    }
    assert data[8 + size :] == b"\x00\x00\x00\x40\x01\x01\x01"


def test_tensors_lie_in_the_file(tmp_path):
    path = tmp_path / "a.safetensors"
    safetensors.save_file({"a": opweave.zeros(1 << 20), "b": opweave.ones(2)}, path)
    maps = pathlib.Path("/proc/self/maps").read_text
    found = safetensors.load_file(path)
    assert str(path) in maps()
    found["a"][0] = 1
    assert safetensors.load_file(path)["a"][0].item() == 0
    del found
    assert str(path) not in maps()


def test_slices(tmp_path):
    path = tmp_path / "a.safetensors"
    safetensors.save_file({"a": opweave.arange(12).reshape(3, 4)}, path)
    with safetensors.safe_open(path) as file:
        part = file.get_slice("a")
        assert (part.get_shape(), part.get_dtype()) == ([3, 4], "I64")
        assert part[1:, ::2].tolist() == [[4, 6], [8, 10]]
        assert file.offset_keys() == ["a"]
        with pytest.raises(SafetensorError, match="does not contain tensor b"):
            file.get_tensor("b")
    with pytest.raises(SafetensorError, match="is closed"):
        file.get_tensor("a")


def test_devices(tmp_path):
    path = tmp_path / "a.safetensors"
    safetensors.save_file({"a": opweave.ones(2)}, path)
    assert safetensors.load_file(path, device="meta")["a"].device.type == "meta"
    with pytest.raises(SafetensorError, match="framework must be 'pt', not 'jax'"):
        safetensors.safe_open(path, "jax")


BASE = opweave.arange(6)


@pytest.mark.parametrize(
    ("tensors", "error", "text"),
    [
        ({"a": opweave.ones(2, 3).t()}, ValueError, "'a' is not contiguous"),
        ({"a": BASE, "b": BASE[2:]}, RuntimeError, r"\['a', 'b'\] share memory"),
        ({1: BASE}, ValueError, "1 is Tensor"),
        ({"a": 1}, ValueError, "'a' is int"),
        ([BASE], ValueError, "not list"),
        ({"a": opweave.empty(1, device="meta")}, ValueError, "no dense data"),
    ],
)
def test_what_is_not_saved(tmp_path, tensors, error, text):
    for save in (safetensors.save, lambda t: safetensors.save_file(t, tmp_path / "a")):
        with pytest.raises(error, match=text):
            save(tensors)
    assert list(tmp_path.iterdir()) == []


def test_parts_of_one_storage_are_saved():
    found = safetensors.load(safetensors.save({"a": BASE[:2], "b": BASE[2:]}))
    assert (found["a"].tolist(), found["b"].tolist()) == ([0, 1], [2, 3, 4, 5])


def test_metadata_is_text():
    with pytest.raises(TypeError, match="'a': 1"):
        safetensors.save({}, {"a": 1})


def made(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def entry(dtype="F32", shape=(1,), offsets=(0, 4)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "it has 0 bytes"),
        (b"\xff" * 8, "would not fit into 0"),
        ((2**63).to_bytes(8, "little") + b"{}", "would not fit into 2"),
        (made(b"{} ")[:-2], "would not fit"),
        (made(b"hello"), "no JSON"),
        (made(b"\xff\xff"), "no JSON"),
        (made(b"[" * 100_000 + b"]" * 100_000), "no JSON"),
        (made(b'{"a":1,"a":1}'), "twice"),
        (made(b"[]"), "not an object"),
        (made({"__metadata__": {"a": 1}}), "object of strings"),
        (made({"__metadata__": "a"}), "object of strings"),
        (made({"a": 1}), "must have dtype"),
        (made({"a": entry("F33")}, bytes(4)), "has the dtype 'F33'; known are BF16, BOOL"),
        (made({"a": entry(dtype=[])}, bytes(4)), "has the dtype"),
        (made({"a": entry(shape=[-1])}, bytes(4)), "no list of sizes"),
        (made({"a": entry(shape=[2**64])}, bytes(4)), "no list of sizes"),
        (made({"a": entry(shape=[True])}, bytes(4)), "no list of sizes"),
        (made({"a": entry(shape=[2**62, 2**62])}, bytes(4)), "does not have the 4 bytes"),
        (made({"a": entry(offsets=[4, 0])}, bytes(4)), "does not have the -4 bytes"),
        (made({"a": entry(offsets=[0])}, bytes(4)), "no two numbers"),
        (made({"a": entry(offsets=[-4, 0])}, bytes(4)), "no two numbers"),
        (made({"a": entry(), "b": entry()}, bytes(4)), "'b' begins at byte 0; 4 is expected"),
        (made({"a": entry(offsets=[4, 8])}, bytes(8)), "'a' begins at byte 4; 0 is expected"),
        (made({"a": entry()}, bytes(3)), "take 4 bytes, and it has 3"),
        (made({"a": entry()}, bytes(5)), "take 4 bytes, and it has 5"),
    ],
)
def test_what_is_not_read(tmp_path, data, text):
    with pytest.raises(SafetensorError, match=text):
        safetensors.load(data)
    path = tmp_path / "bad.safetensors"
    path.write_bytes(data)
    with pytest.raises(SafetensorError, match=text) as error:
        safetensors.load_file(path)
    assert "bad.safetensors" in str(error.value)


def test_an_unaligned_file_is_read():
    data = made(
        json.dumps({"a": entry(shape=[2], offsets=[0, 8])}).encode() + b" ", b"\x00\x00\x80\x3f" * 2
    )
    assert safetensors.load(data)["a"].tolist() == [1, 1]


def test_models(tmp_path):
    path = tmp_path / "m.safetensors"
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    model[1].weight = model[0].weight
    safetensors.save_model(model, path)
    with safetensors.safe_open(path) as file:
        assert file.metadata() == {"format": "pt", "1.weight": "0.weight"}
    other = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    other[1].weight = other[0].weight
    assert safetensors.load_model(other, path) == (set(), [])
    assert opweave.equal(other[1].weight, model[1].weight)
    with pytest.raises(RuntimeError, match=r"lacks \['2\.bias', '2\.weight'\]"):
        safetensors.load_model(nn.Sequential(*model, nn.Linear(1, 1)), path)
