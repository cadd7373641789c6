"""Storages with and without a dtype."""

import copy
import pickle

import opweave
import pytest
from opweave.storage import TypedStorage


def test_untyped_storages():
    storage = opweave.tensor([1, 258], dtype=opweave.int16).untyped_storage()
    assert (storage.tolist(), storage[2], len(storage)) == ([1, 0, 2, 1], 2, 4)
    copied = storage.clone()
    copied.fill_(7)
    assert storage.tolist() == [1, 0, 2, 1]
    assert copied.copy_(storage).tolist() == [1, 0, 2, 1]
    assert storage.cpu() is storage
    assert storage.to(device="meta").device.type == "meta"
    assert storage.element_size() == 1
    with pytest.raises(IndexError, match="index 4 out of range for storage of size 4"):
        storage[4]
    with pytest.raises(RuntimeError, match="self was 4 bytes but src was 3 bytes"):
        storage.copy_(opweave.UntypedStorage(3))


def test_typed_storages_share_with_tensors():
    x = opweave.arange(6.0).reshape(2, 3)
    storage = x[1].storage()
    assert (storage.size(), storage.nbytes(), storage.element_size()) == (6, 24, 4)
    assert storage.data_ptr() == x.data_ptr()
    storage[0] = 9
    assert x[0, 0].item() == 9
    assert storage == x.storage()
    assert storage.untyped() == x.untyped_storage()
    assert opweave.is_storage(storage)


def test_typed_storages_of_old_names():
    storage = opweave.FloatStorage([1, 2])
    assert storage.dtype == opweave.float32
    assert opweave.LongStorage(3).size() == 3
    assert storage.type() == "opweave.FloatStorage"
    assert storage.type(opweave.IntStorage).tolist() == [1, 2]
    assert copy.deepcopy(storage).fill_(0) != storage
    assert pickle.loads(pickle.dumps(storage)).tolist() == [1, 2]
    assert "of size 2" in repr(storage)
    with pytest.raises(AttributeError, match="NoStorage"):
        _ = opweave.NoStorage
    with pytest.raises(TypeError, match="wrap_storage must be UntypedStorage, not int"):
        TypedStorage(wrap_storage=3)
