"""save() and load(): what is saved once, where it goes, and what is left when saving fails."""

import collections
import io
import mmap
import os
import pathlib
import pickle
import signal
import stat
import subprocess
import sys
import textwrap
import zipfile

import opweave
import pytest
from opweave import nn, serialization


def round_trip(value, **options):
    file = io.BytesIO()
    opweave.save(value, file)
    file.seek(0)
    return opweave.load(file, **options)


def test_a_storage_is_saved_once():
    base = opweave.arange(100_000.0)
    file = io.BytesIO()
    opweave.save([base, base[10:20], base.view(10, -1).t()], file)
    assert file.tell() < 410_000
    file.seek(0)
    a, b, c = opweave.load(file)
    a[15] = -1
    assert b[5].item() == -1
    assert c[15, 0].item() == -1
    assert c.stride() == (1, 10_000)


def test_storages_lie_at_multiples_of_64():
    file = io.BytesIO()
    opweave.save({f"a{i}": opweave.ones(i) for i in range(1, 30)}, file)
    data = file.getvalue()
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        for entry in archive.infolist():
            start = entry.header_offset
            lengths = [
                int.from_bytes(data[start + at : start + at + 2], "little") for at in (26, 28)
            ]
            assert (start + 30 + sum(lengths)) % 64 == 0


def test_the_same_objects_make_the_same_file():
    files = [io.BytesIO(), io.BytesIO()]
    for file in files:
        opweave.save({"a": opweave.arange(10), "b": "x"}, file)
    assert files[0].getvalue() == files[1].getvalue()


@pytest.mark.parametrize("kind", [str, pathlib.Path])
def test_paths(tmp_path, kind):
    path = kind(tmp_path / "a.pt")
    opweave.save({"a": 1}, path)
    assert opweave.load(path) == {"a": 1}
    with zipfile.ZipFile(path) as archive:
        assert "a/data.pkl" in archive.namelist()


def test_file_objects(tmp_path):
    with open(tmp_path / "a", "w+b") as file:
        opweave.save(opweave.ones(3), file)
        file.seek(0)
        assert opweave.load(file).tolist() == [1, 1, 1]

    class Plain:
        """No more than load() asks for."""

        def __init__(self, data):
            self.file = io.BytesIO(data)
            self.read, self.seek, self.tell = self.file.read, self.file.seek, self.file.tell

    assert opweave.load(Plain((tmp_path / "a").read_bytes())).tolist() == [1, 1, 1]


def test_what_is_no_file():
    with pytest.raises(AttributeError, match="a method write, and int has none"):
        opweave.save(1, 3)
    with pytest.raises(AttributeError, match="int has no read"):
        opweave.load(3)
    with pytest.raises(RuntimeError, match=r"the folder /nowhere/at/all of .* does not exist"):
        opweave.save(1, "/nowhere/at/all/a.pt")
    with pytest.raises(RuntimeError, match=r"save\(\): f: expected the name of a file, got ''"):
        opweave.save(1, "")
    with pytest.raises(FileNotFoundError):
        opweave.load("/nowhere/at/all/a.pt")
    with pytest.raises(RuntimeError, match=r"before 1\.6"):
        opweave.save(1, io.BytesIO(), _use_new_zipfile_serialization=False)


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5])
def test_protocols(protocol):
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    file = io.BytesIO()
    opweave.save(
        {"m": model, "torch": "opweave", "s": model.state_dict()}, file, pickle_protocol=protocol
    )
    file.seek(0)
    found = opweave.load(file, weights_only=False)
    assert found["torch"] == "opweave"
    assert opweave.equal(found["m"][0].weight, model[0].weight)
    with zipfile.ZipFile(file) as archive:
        assert b"torch" in archive.read("archive/data.pkl")


def test_one_storage_as_two_dtypes_is_refused():
    x = opweave.ones(4)
    with pytest.raises(
        RuntimeError, match=r"sees as opweave\.float32 and the other as opweave\.int32"
    ):
        opweave.save([x, x.view(opweave.int32)], io.BytesIO())


def test_tensors_of_classes_with_attributes():
    class Named(opweave.Tensor):
        pass

    globals()["Named"] = Named
    Named.__module__, Named.__qualname__ = __name__, "Named"
    x = opweave.ones(2).as_subclass(Named)
    x.title = "x"
    found = round_trip(x, weights_only=False)
    assert type(found) is Named
    assert found.title == "x"
    with pytest.raises(pickle.UnpicklingError, match="Named"):
        round_trip(x)
    with serialization.safe_globals([Named]):
        assert round_trip(x).title == "x"


def test_objects_with_state_and_slots():
    with serialization.safe_globals([Slotted, Stateful]):
        slotted, stateful = Slotted(), Stateful()
        slotted.a, slotted.b = opweave.ones(1), 2
        stateful.value = 3
        found = round_trip([slotted, stateful])
    assert (found[0].a.item(), found[0].b, found[1].value) == (1, 2, 6)


class Slotted:
    __slots__ = ("a", "b")


class Stateful:
    def __getstate__(self):
        return self.value

    def __setstate__(self, state):
        self.value = 2 * state


# --- where storages go ----------------------------------------------------------------------------
@pytest.mark.parametrize("where", ["meta", opweave.device("meta"), {"cpu": "meta"}])
def test_map_location(where):
    found = round_trip(opweave.ones(2, 3), map_location=where)
    assert found.device.type == "meta"
    assert found.shape == (2, 3)


def test_map_location_by_a_function():
    seen = []

    def move(storage, location):
        seen.append((type(storage).__name__, storage.nbytes(), location))

    assert round_trip([opweave.ones(2), opweave.ones(3)], map_location=move)[1].tolist() == [1] * 3
    assert seen == [("UntypedStorage", 8, "cpu"), ("UntypedStorage", 12, "cpu")]
    other = opweave.tensor([5.0, 6.0]).untyped_storage()
    assert round_trip(opweave.ones(2), map_location=lambda s, _: other).tolist() == [5, 6]
    with pytest.raises(RuntimeError, match=r"restore data location of .* \(tagged with cpu:3\)"):
        round_trip(opweave.ones(2), map_location="cpu:3")
    with pytest.raises(TypeError, match="map_location returned int"):
        round_trip(opweave.ones(2), map_location=lambda s, _: 3)
    with pytest.raises(TypeError, match="must be a str, device, dict or function, not int"):
        round_trip(opweave.ones(2), map_location=3)


def test_a_device_that_is_not_there():
    with pytest.raises(RuntimeError, match=r"map_location='cpu'\) reads them"):
        round_trip(opweave.ones(2), map_location="cuda:0")
    with pytest.raises(RuntimeError, match="tagged with nowhere"):
        round_trip(opweave.ones(2), map_location="nowhere")


def test_register_package(monkeypatch):
    from opweave.serialization import _locations

    monkeypatch.setattr(_locations, "_packages", list(_locations._packages))
    moved = []

    def restore(storage, location):
        return moved.append(location) or storage if location == "shelf" else None

    serialization.register_package(
        1, lambda storage: "shelf" if storage.nbytes() == 8 else None, restore
    )
    assert round_trip([opweave.ones(2), opweave.ones(3)])[0].tolist() == [1, 1]
    assert moved == ["shelf"]


# --- mmap -----------------------------------------------------------------------------------------
def test_mmap_takes_no_memory_and_keeps_the_file(tmp_path):
    path = tmp_path / "a.pt"
    opweave.save({"a": opweave.zeros(1 << 25), "b": opweave.arange(3)}, path)
    before = resident()
    found = opweave.load(path, mmap=True)
    assert resident() - before < 1 << 24
    assert found["a"][-1].item() == 0
    found["b"][0] = 7
    assert opweave.load(path)["b"].tolist() == [0, 1, 2]
    path.unlink()
    assert found["b"].tolist() == [7, 1, 2]


def resident():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * mmap.PAGESIZE


def test_shared_mmap_writes_the_file(tmp_path):
    path = tmp_path / "a.pt"
    opweave.save(opweave.arange(3), path)
    with serialization.set_default_mmap_options(mmap.MAP_SHARED):
        opweave.load(path, mmap=True)[0] = 7
    assert serialization.get_default_mmap_options() == mmap.MAP_PRIVATE
    serialization.set_crc32_options(False)
    try:
        assert opweave.load(path).tolist() == [7, 1, 2]
    finally:
        serialization.set_crc32_options(True)
    with pytest.raises(ValueError, match="mmap=True"):
        opweave.load(io.BytesIO(path.read_bytes()), mmap=True)
    with pytest.raises(ValueError, match="MAP_SHARED"):
        serialization.set_default_mmap_options(77)


# --- settings -------------------------------------------------------------------------------------
def test_skip_data_leaves_room():
    with serialization.skip_data():
        found = round_trip({"a": opweave.ones(4), "b": opweave.arange(2)})
    assert found["a"].tolist() == [0] * 4
    assert round_trip(opweave.ones(2)).tolist() == [1, 1]


def test_byte_order(tmp_path):
    file, swapped = io.BytesIO(), io.BytesIO()
    opweave.save([opweave.arange(5, dtype=opweave.int16), opweave.arange(3.0)], file)
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(swapped, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            size = {"archive/data/0": 2, "archive/data/1": 4}.get(name, 1)
            parts = [data[i : i + size][::-1] for i in range(0, len(data), size)]
            new.writestr(name, b"big" if name.endswith("byteorder") else b"".join(parts))
    swapped.seek(0)
    found = opweave.load(swapped)
    assert [t.tolist() for t in found] == [[0, 1, 2, 3, 4], [0, 1, 2]]
    path = tmp_path / "big.pt"
    path.write_bytes(swapped.getvalue())
    assert opweave.load(path, mmap=True)[1].tolist() == [0, 1, 2]


def test_default_byte_order():
    file = io.BytesIO()
    opweave.save(opweave.tensor([1], dtype=opweave.int16), file, _disable_byteorder_record=True)
    serialization.set_default_load_endianness(serialization.LoadEndianness.BIG)
    file.seek(0)
    try:
        assert opweave.load(file).tolist() == [256]
    finally:
        serialization.set_default_load_endianness(None)
    file.seek(0)
    assert opweave.load(file).tolist() == [1]
    with pytest.raises(TypeError, match="set_default_load_endianness"):
        serialization.set_default_load_endianness("big")


def test_weights_only_and_pickle_module(monkeypatch):
    file = io.BytesIO()
    opweave.save(collections.deque([1]), file)

    def load(**options):
        file.seek(0)
        return opweave.load(file, **options)

    with pytest.raises(pickle.UnpicklingError, match=r"collections\.deque"):
        load()
    assert load(pickle_module=pickle) == collections.deque([1])
    with pytest.raises(RuntimeError, match="explicit pickle_module"):
        load(pickle_module=pickle, weights_only=True)
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    assert load() == collections.deque([1])
    monkeypatch.setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "1")
    with pytest.raises(RuntimeError, match=r"Only one of .* but both were set"):
        load()
    monkeypatch.delenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD")
    with pytest.raises(pickle.UnpicklingError):
        load(weights_only=False)


# --- writing in one step --------------------------------------------------------------------------
def test_an_error_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.pt"
    opweave.save(1, path)

    class Bad:
        def __reduce__(self):
            raise ValueError("not me")

    with pytest.raises(ValueError, match="not me"):
        opweave.save([opweave.ones(1000), Bad()], path)
    assert opweave.load(path) == 1
    assert os.listdir(tmp_path) == ["a.pt"]


@pytest.mark.parametrize("name", ["漢" * 80 + ".pt", "é" * 120, "a" * 255])
@pytest.mark.parametrize("named", [False, True])
def test_long_names(tmp_path, monkeypatch, name, named):
    if named:  # as where the file system has no files without a name
        monkeypatch.delattr(os, "O_TMPFILE")
    path = tmp_path / name
    for value in (1, 2):
        opweave.save(value, path)
        assert opweave.load(path) == value
    assert os.listdir(tmp_path) == [name]


def test_mode_and_links_are_kept(tmp_path):
    path, link = tmp_path / "a.pt", tmp_path / "link"
    opweave.save(1, path)
    path.chmod(0o640)
    link.symlink_to("a.pt")
    opweave.save(2, link)
    assert link.is_symlink()
    assert opweave.load(path) == 2
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    opweave.save(3, "/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_full_disk_leaves_the_old_file(tmp_path):
    """The limit of a file's size stands for it."""
    path = tmp_path / "a.pt"
    program = """
        import resource, signal, sys
        import opweave
        opweave.save(1, sys.argv[1])
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        try:
            opweave.save(opweave.ones(1 << 20), sys.argv[1])
        except OSError as error:
            print(type(error).__name__, opweave.load(sys.argv[1]))
    """
    done = run(program, path)
    assert done.stdout == "OSError 1\n", done.stderr
    assert os.listdir(tmp_path) == ["a.pt"]


def run(program, *arguments, **options):
    environment = {**os.environ, "PYTHONPATH": ":".join(sys.path)}
    command = [sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, **options)


KILLED = """
    import os, signal, sys
    import opweave
    from opweave import _atomic_files
    path, last = sys.argv[1], int(sys.argv[2])
    calls = 0
    def counted(name, function):
        def call(*arguments, **options):
            global calls
            calls += 1
            if calls == last:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **options)
        return call
    for name in ("open", "link", "replace", "fsync", "fdopen", "close"):
        setattr(os, name, counted(name, getattr(os, name)))
    _atomic_files._File.write = counted("write", _atomic_files._File.write)
    opweave.save({"new": opweave.arange(100000)}, path)
    print("done", calls)
"""


def test_a_killed_process_leaves_the_old_file_or_the_new_one(tmp_path):
    """Killed before each of its calls in turn, until it ends by itself."""
    path = tmp_path / "a.pt"
    ends = set()
    for last in range(1, 200):
        opweave.save({"old": 1}, path)
        done = run(KILLED, path, last)
        ends.add(tuple(opweave.load(path)))
        left = [name for name in os.listdir(tmp_path) if name != "a.pt"]
        assert len(left) <= 1  # between link and replace, a whole file
        for name in left:
            assert tuple(opweave.load(tmp_path / name)) == ("new",)
            (tmp_path / name).unlink()
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
    assert done.stdout.startswith("done")
    assert ends == {("old",), ("new",)}
