"""Tensors over buffers and files: who keeps the memory, and what a file is made to be."""

import gc
import os
import warnings
import weakref

import numpy as np
import pytest


def test_a_buffer_keeps_its_size_as_long_as_tensors_lie_in_it(ow):
    data = bytearray(8)
    part = ow.frombuffer(data, dtype=ow.int16)[1:]
    with pytest.raises(BufferError):
        data.append(1)
    del part
    data.append(1)
    assert len(data) == 9


def test_a_tensor_keeps_its_buffer(ow):
    array = np.arange(1000.0)
    seen = weakref.ref(array)
    t = ow.frombuffer(memoryview(array), dtype=ow.float64)
    del array
    gc.collect()
    assert t.sum() == 999 * 500
    del t
    gc.collect()
    assert seen() is None


def test_refused_buffers_are_let_go(ow):
    data = bytearray(5)
    for bad in (
        {"dtype": ow.int16},
        {"dtype": ow.uint8, "offset": 9},
        {"dtype": ow.uint8, "count": 9},
    ):
        with pytest.raises(ValueError, match="buffer length"):
            ow.frombuffer(data, **bad)
    data.append(1)


def test_read_only_buffers_are_shared_with_a_warning(ow):
    with pytest.warns(UserWarning, match="buffer is not writable"):
        assert ow.frombuffer(b"ab", dtype=ow.uint8).tolist() == [97, 98]
    with pytest.warns(UserWarning, match="buffer is not writable"):
        assert ow.asarray(b"ab").tolist() == [97, 98]


def test_a_warning_that_is_an_error_loses_nothing(ow):
    data = memoryview(bytearray(4)).toreadonly()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="not writable"):
            ow.frombuffer(data, dtype=ow.uint8)
    data.release()  # nothing holds it


def test_memmap(ow, tmp_path):
    array = np.memmap(tmp_path / "a", dtype="float32", mode="w+", shape=(3,))
    t = ow.from_numpy(array)
    t[1] = 5
    assert array.tolist() == [0, 5, 0]
    assert ow.as_tensor(array).data_ptr() == t.data_ptr()


def test_from_file_reads(ow, tmp_path):
    path = tmp_path / "a"
    path.write_bytes(np.arange(6, dtype="float32").tobytes())
    t = ow.from_file(str(path), size=6)
    assert t.tolist() == [0, 1, 2, 3, 4, 5]
    t[0] = 9  # the process's own
    assert np.fromfile(path, dtype="float32")[0] == 0
    assert ow.from_file(path, size=3, dtype=ow.int16).shape == (3,)
    assert ow.from_file(path, dtype=ow.int16).shape == (0,)
    assert ow.from_file(path, size=2, requires_grad=True).requires_grad


def test_from_file_writes_where_it_is_shared(ow, tmp_path):
    path = tmp_path / "new"
    ow.from_file(path, True, 4, dtype=ow.int32).fill_(7)
    assert np.fromfile(path, dtype="int32").tolist() == [7] * 4
    longer = ow.from_file(path, shared=True, size=6, dtype=ow.int32)
    assert longer.tolist() == [7, 7, 7, 7, 0, 0]
    assert path.stat().st_size == 24
    assert not os.access(path, os.X_OK)


def test_from_file_refuses(ow, tmp_path):
    path = tmp_path / "a"
    path.write_bytes(bytes(16))
    with pytest.raises(
        RuntimeError, match=r"size <16> is smaller than the required mapping size <17>"
    ):
        ow.from_file(path, size=17, dtype=ow.uint8)
    with pytest.raises(
        RuntimeError, match=r"unable to open file <.*/none> in read-only mode: No such file"
    ):
        ow.from_file(tmp_path / "none", size=1)
    with pytest.raises(
        RuntimeError, match=r"unable to open file <.*> in read-write mode: Is a directory"
    ):
        ow.from_file(tmp_path, True, 1)
    with pytest.raises(RuntimeError, match="size must be non-negative, got -1"):
        ow.from_file(path, size=-1)
    with pytest.raises(TypeError, match=r"argument 'filename' .* must be str, not int"):
        ow.from_file(3, size=4)


def test_classes_of_numpy_are_known_by_their_ancestors(ow):
    class Named(np.ndarray):
        pass

    class Number(np.float64):
        pass

    assert ow.from_numpy(np.arange(2).view(Named)).tolist() == [0, 1]
    assert ow.tensor(Number(2.5)).item() == 2.5
    assert ow.tensor([Number(2.5), 1]).dtype is ow.float64
