"""DistributedSampler: PyTorch's order, and an epoch that goes on where it was saved."""

import hashlib
import json

import pytest
from opweave.utils.data import DataLoader, DistributedSampler, Sampler
from support.ranks import run


# What PyTorch 2.15 has.
@pytest.mark.parametrize(
    ("n", "ranks", "rank", "drop", "seed", "epoch", "expected"),
    [
        (10, 3, 0, False, 0, 0, [4, 5, 0, 2]),
        (10, 3, 2, False, 0, 1, [1, 8, 7, 6]),
        (10, 3, 1, True, 5, 2, [0, 1, 6]),
        (2, 5, 4, False, 0, 0, [0]),
    ],
)
def test_the_order_is_pytorchs(n, ranks, rank, drop, seed, epoch, expected):
    sampler = DistributedSampler(range(n), ranks, rank, seed=seed, drop_last=drop)
    sampler.set_epoch(epoch)
    assert list(sampler) == expected
    assert len(sampler) == len(expected)


def test_more_ranks_than_memory_has_places():
    """Each takes its one example; nobody writes down the places of all."""
    assert list(DistributedSampler(range(3), 10**12, 10**12 - 1, shuffle=False)) == [0]
    assert list(DistributedSampler([], 10**12, 5)) == []


def test_many_orders_are_pytorchs():
    orders = [
        list(DistributedSampler(range(n), ranks, rank, seed=n))
        for n in (1, 7, 64, 1000)
        for ranks in (1, 2, 5)
        for rank in range(ranks)
    ]
    assert (
        hashlib.sha256(json.dumps(orders).encode()).hexdigest()
        == "4a4490fd742c92658954cf70467998f9157b8ce48ac66c93cbae9cdc3c0fe152"
    )


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("drop", [False, True])
def test_ranks_have_as_many_and_all_is_taken(shuffle, drop):
    parts = [
        list(DistributedSampler(range(11), 4, k, shuffle=shuffle, drop_last=drop)) for k in range(4)
    ]
    assert {len(part) for part in parts} == {2 if drop else 3}
    taken = sorted(index for part in parts for index in part)
    assert len(set(taken)) == (8 if drop else 11)


def samplers(ranks, n=23):
    return [DistributedSampler(range(n), ranks, rank, seed=3) for rank in range(ranks)]


def begin(sampler, epoch, count):
    sampler.set_epoch(epoch)
    it = iter(sampler)
    return [next(it) for _ in range(count)]


@pytest.mark.parametrize("taken", [0, 2, 6])
def test_an_epoch_goes_on_where_it_was_saved(taken):
    """A restart runs the same loop over epochs; what was taken in the first is left out."""
    for sampler, other in zip(samplers(4), samplers(4), strict=True):
        sampler.set_epoch(5)
        whole = list(sampler)
        first = begin(sampler, 5, taken)
        state = json.loads(json.dumps(sampler.state_dict()))
        assert state == {"epoch": 5, "seed": 3, "taken": 4 * taken}
        other.load_state_dict(state)
        other.set_epoch(5)
        assert first + list(other) == whole
        assert list(other) == whole  # another time from the beginning
        sampler.set_epoch(6)
        other.set_epoch(6)
        assert list(other) == list(sampler)


def test_another_number_of_ranks_takes_the_rest():
    before = samplers(4)
    taken = [index for sampler in before for index in begin(sampler, 1, 3)]
    after = samplers(3)
    rest = []
    for sampler in after:
        sampler.load_state_dict(before[0].state_dict())
        sampler.set_epoch(1)
        rest += list(sampler)
    assert set(taken) | set(rest) == set(range(23))
    assert len(rest) == 24 - 12


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("stops", [0, 1, 3, 5])
def test_what_workers_have_loaded_ahead_is_not_taken(workers, persistent, stops):
    """In the second epoch, of which batches are saved and the others come after."""

    def loader_of(sampler):
        options = {"persistent_workers": True} if persistent and workers else {}
        return DataLoader(range(40), 4, sampler=sampler, num_workers=workers, **options)

    def batches(loader, epoch):
        loader.sampler.set_epoch(epoch)
        for batch in loader:
            yield batch.tolist()

    loader, other = [loader_of(DistributedSampler(range(40), 2, 1)) for _ in range(2)]
    whole = [list(batches(loader_of(DistributedSampler(range(40), 2, 1)), e)) for e in (0, 1)]
    assert list(batches(loader, 0)) == whole[0]
    began = batches(loader, 1)
    first = [next(began) for _ in range(stops)] if stops else []
    state = loader.sampler.state_dict()
    if stops:
        assert state == {"epoch": 1, "seed": 0, "taken": 2 * 4 * stops}
        other.sampler.load_state_dict(state)
        assert first + list(batches(other, 1)) == whole[1]
    else:
        assert state == {"epoch": 0, "seed": 0, "taken": 40}


def test_an_epoch_that_is_not_the_saved_one_is_whole():
    one, other = samplers(2)[0], samplers(2)[0]
    begin(one, 1, 4)
    other.load_state_dict(one.state_dict())
    other.set_epoch(2)
    assert len(list(other)) == len(other)


def of_the_group(dist, rank, size):
    return list(DistributedSampler(range(10), shuffle=False))


def test_rank_and_size_are_those_of_the_group(tmp_path):
    assert run(of_the_group, 2, tmp_path) == [[0, 2, 4, 6, 8], [1, 3, 5, 7, 9]]


def test_refusals():
    with pytest.raises(
        ValueError, match=r"Invalid rank 3, rank should be in the interval \[0, 2\]"
    ):
        DistributedSampler(range(3), 3, 3)
    with pytest.raises(ValueError, match="num_replicas is that of the default process group"):
        DistributedSampler(range(3))
    with pytest.raises(ValueError, match="rank is that of the default process group"):
        DistributedSampler(range(3), 2)
    with pytest.raises(NotImplementedError, match="Sampler has no __iter__"):
        list(Sampler())
