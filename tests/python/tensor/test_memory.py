"""Whoever looks at the memory of a storage may go on when the storage is resized: nobody reads or writes
what belongs to somebody else."""

import copy
import pickle

import numpy as np
import pytest


@pytest.mark.parametrize(
    "export",
    [
        lambda x: x.numpy(),
        lambda x: np.from_dlpack(x),
        lambda x: np.asarray(memoryview(x.untyped_storage())).view(np.float32),
        lambda x: np.asarray(x),
    ],
)
@pytest.mark.parametrize("size", [20, 5000, 300_000])
def test_exported_memory_outlives_its_storage(ow, export, size):
    x = ow.ones(size)
    array = export(x)
    x.resize_(10 * size).fill_(7)
    others = [ow.full((size,), 9.0) for _ in range(20)]
    assert array.sum() == size
    if array.flags.writeable:
        array[:] = 1
    assert x.sum().item() == 70 * size
    x.untyped_storage().resize_(0)
    del x
    assert array.sum() == size
    assert all(o.sum().item() == 9 * size for o in others)


@pytest.mark.parametrize("size", [20, 5000, 300_000])
def test_tensors_over_a_storage_that_was_made_smaller(ow, size):
    x = ow.ones(size)
    part, square = x[5:], x.view(-1, 5)
    storage = x.untyped_storage()
    storage.resize_(40)
    assert (storage.nbytes(), len(storage)) == (40, 40)
    others = [ow.full((size,), 9.0) for _ in range(20)]
    assert x[:10].sum().item() == 10
    for t in (x, part, square):
        assert t.fill_(2).sum().item() == 2 * t.numel()
        assert t.clone().numel() == len(t.flatten().tolist())
    storage.resize_(4 * size)
    assert storage.nbytes() == 4 * size
    x.fill_(4)
    assert square.sum().item() == 4 * size
    storage.resize_(40 * size)
    assert square.sum().item() == 4 * size
    assert all(o.sum().item() == 9 * size for o in others)


def test_pages_that_are_cut_off_go_back(ow):
    x = ow.ones(4_000_000)
    x.untyped_storage().resize_(4000)
    assert x[:1000].sum().item() == 1000
    assert x.sum().item() < 3000  # zeros, but for what is left of the last page


def test_a_storage_that_nobody_shares_gives_its_block_back(ow):
    x = ow.ones(1000)
    for i in range(100):
        x.resize_(1000 * (i + 2))
    assert x[:1000].sum().item() == 1000
    assert copy.deepcopy(x).resize_(10**6).numel() == 10**6
    assert pickle.loads(pickle.dumps(ow.ones(10))).resize_(1000).numel() == 1000


def test_the_backward_pass_after_a_resize(ow):
    x = ow.ones(100_000, requires_grad=True)
    y = x.exp()
    y.untyped_storage().resize_(0)
    y.backward(ow.ones(100_000))
    assert x.grad.numel() == 100_000


def test_an_index_that_takes_the_memory_away(ow):
    class Index:
        def __init__(self, act):
            self.act = act

        def __index__(self):
            self.act()
            return 5

    x = ow.ones(1000, 1000)
    assert x[:, Index(lambda: x.untyped_storage().resize_(0))].sum().item() < 1000
    x[Index(lambda: x.untyped_storage().resize_(0))] = 3.0
    z = ow.ones(1000, 1000)
    assert z[Index(lambda: z.resize_(0)), 2:].sum().item() == 998


def test_sizes_of_storages(ow):
    with pytest.raises(RuntimeError, match="expects a size that is not negative, but got -1"):
        ow.ones(3).untyped_storage().resize_(-1)
    with pytest.raises(RuntimeError, match="not resizable"):
        ow.from_numpy(np.ones(3)).resize_(100)
