"""Files that were cut off, changed, or are something else: errors that say so."""

import io
import pickle
import random
import zipfile

import opweave
import pytest
from pickles import checkpoint, storage, tensor, whole
from reference import files

CLEAR = (pickle.UnpicklingError, RuntimeError, EOFError)


def saved(value=None):
    file = io.BytesIO()
    opweave.save({"a": opweave.arange(1000.0), "b": [1, "x"]} if value is None else value, file)
    return file.getvalue()


def test_a_file_cut_off_anywhere():
    data = saved()
    for length in [*range(200), *range(200, len(data), 37), len(data) - 1]:
        with pytest.raises(CLEAR):
            opweave.load(io.BytesIO(data[:length]))


def test_cut_off_files_name_themselves(tmp_path):
    path = tmp_path / "model.pt"
    path.write_bytes(saved()[:-30])
    with pytest.raises(RuntimeError, match=r"model\.pt is damaged or was cut off"):
        opweave.load(path)


def test_a_changed_byte_of_a_tensor_is_found():
    data = bytearray(saved())
    data[data.find(opweave.tensor(500.0).numpy().tobytes())] ^= 1
    with pytest.raises(RuntimeError, match="'data/0' has the checksum 0x"):
        opweave.load(io.BytesIO(bytes(data)))
    opweave.serialization.set_crc32_options(False)
    try:
        opweave.load(io.BytesIO(bytes(data)))
    finally:
        opweave.serialization.set_crc32_options(True)


def test_changed_bytes_anywhere():
    data, draw = saved(), random.Random(0)
    for _ in range(1500):
        changed = bytearray(data)
        for _ in range(draw.randint(1, 3)):
            changed[draw.randrange(len(changed))] = draw.randrange(256)
        try:
            found = opweave.load(io.BytesIO(bytes(changed)))
        except CLEAR:
            continue
        assert found["a"].tolist() == [float(i) for i in range(1000)]


@pytest.mark.parametrize("mmap", [False, True])
def test_a_compressed_record_is_refused(tmp_path, mmap):
    path = tmp_path / "bomb.pt"
    zeros = {"data/0": bytes(1 << 24)}
    file = checkpoint(whole(storage(elements=1 << 22)), zeros, zipfile.ZIP_DEFLATED)
    path.write_bytes(file.getvalue())
    assert path.stat().st_size < 1 << 16
    with pytest.raises(RuntimeError, match="is compressed"):
        opweave.load(path, mmap=mmap)


def test_records_over_one_another_are_refused():
    """The directory's lines of many records that are one: more to read than there is."""
    data = bytearray(
        checkpoint(
            whole(tensor()), {"data/0": bytes(4096), "data/1": b"", "data/2": b""}
        ).getvalue()
    )
    end = data.rfind(b"PK\5\6")
    first = data.rfind(b"archive/data/0") - 46
    line = bytes(data[first : first + 60])
    for key in (b"1", b"2"):
        at = data.rfind(b"archive/data/" + key) - 46
        data[at : at + 60] = line[:59] + key
    assert end
    with pytest.raises(RuntimeError, match="records are 12"):
        opweave.load(io.BytesIO(bytes(data)))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_record_that_is_there_twice():
    file = checkpoint(whole(tensor()))
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("archive/data/0", bytes(16))
    file.seek(0)
    with pytest.raises(RuntimeError, match="'data/0' is there twice"):
        opweave.load(file)


@pytest.mark.parametrize(
    ("content", "error", "text"),
    [
        (b"", EOFError, "is empty"),
        (b"hello", RuntimeError, "is not a zip archive"),
        (pickle.dumps({"a": 1}, protocol=4), RuntimeError, "is a pickle and not a checkpoint"),
        (bytes.fromhex("80028a0a6cfc9c46f920"), RuntimeError, "before version 1.6"),
        ((8).to_bytes(8, "little") + b'{"a":1} ', RuntimeError, "looks like safetensors"),
    ],
)
def test_other_files_are_named(content, error, text):
    with pytest.raises(error, match=text):
        opweave.load(io.BytesIO(content))


def test_an_archive_without_a_pickle():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("x/y", "z")
    file.seek(0)
    with pytest.raises(RuntimeError, match=r"without the record data\.pkl"):
        opweave.load(file)


def test_a_tar_archive_is_named(tmp_path):
    import tarfile

    with tarfile.open(tmp_path / "t.tar", "w") as archive:
        archive.add(files.FOLDER / "views.pt", arcname="tensors")
    with pytest.raises(RuntimeError, match=r"before version 0\.1\.10"):
        opweave.load(tmp_path / "t.tar")
