"""Batches of DataLoader in memory that a device reads while the program goes on."""

from typing import NamedTuple

import opweave as ow
import pytest
from opweave.utils import data

ow.device("heap_target:0")  # from here on there is an accelerator
pytestmark = pytest.mark.filterwarnings("ignore:This DataLoader will create")


class Pair(NamedTuple):
    left: ow.Tensor
    right: ow.Tensor


class Own:
    """A batch of a class that pins itself."""

    def __init__(self, tensor):
        self.tensor, self.asked = tensor, 0

    def pin_memory(self):
        made = Own(self.tensor.pin_memory())
        made.asked = self.asked + 1
        return made


class OwnDict(dict):
    pass


def example(i):
    def part():
        return ow.full((3,), float(i))

    return {
        "one": part(),
        "pair": Pair(part(), part()),
        "list": [part(), (part(), "text", 7)],
        "own": Own(part()),
        "dict": OwnDict(a=part(), b=None),
    }


class Examples(data.Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, i):
        return example(i)


def first(items):
    return items[0]


def check(batch, i, pinned):
    tensors = [
        *(batch["one"], *batch["pair"], batch["list"][0], batch["list"][1][0]),
        *(batch["own"].tensor, batch["dict"]["a"]),
    ]
    assert [t.is_pinned() for t in tensors] == [pinned] * len(tensors)
    assert all(t.tolist() == [i] * 3 for t in tensors)
    assert type(batch["pair"]) is Pair
    assert type(batch["list"][1]) is tuple
    assert type(batch["dict"]) is OwnDict
    assert (batch["list"][1][1:], batch["dict"]["b"]) == (("text", 7), None)
    assert batch["own"].asked == pinned


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("pinned", [False, True])
def test_nested_batches(workers, pinned):
    loader = data.DataLoader(Examples(), collate_fn=first, num_workers=workers, pin_memory=pinned)
    for _ in range(2):
        batches = list(loader)
        assert len(batches) == 3
        for i, batch in enumerate(batches):
            check(batch, i, pinned)


@pytest.mark.parametrize("workers", [0, 2])
def test_batches_of_the_default_collate(workers):
    dataset = data.TensorDataset(ow.arange(6), ow.arange(12.0).view(6, 2))
    loader = data.DataLoader(dataset, 4, num_workers=workers, pin_memory=True)
    for numbers, rows in loader:
        assert numbers.is_pinned()
        assert rows.is_pinned()
        assert rows.to("heap_target:0", non_blocking=True)[:, 0].tolist() == (numbers * 2).tolist()


@pytest.mark.parametrize("device", ["cuda", "heap_target:1"])
def test_the_device_is_the_current_one_whichever_is_named(device):
    loader = data.DataLoader([ow.ones(2)], pin_memory=True, pin_memory_device=device)
    with pytest.warns(UserWarning, match=f"pin_memory_device='{device}' ignored"):
        (batch,) = loader
    assert batch.is_pinned()


def test_without_pin_memory_the_device_says_nothing(recwarn):
    (batch,) = data.DataLoader([ow.ones(2)], pin_memory_device="cuda")
    assert not batch.is_pinned()
    assert not recwarn.list
