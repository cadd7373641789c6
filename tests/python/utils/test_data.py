"""opweave.utils.data: what PyTorch 2.15 hands out and refuses, recorded from it."""

import collections
import pickle

import numpy as np
import pytest
from opweave.utils import data


class Stream(data.IterableDataset):
    def __init__(self, n, told=None):
        self.n, self.told = n, told

    def __iter__(self):
        return iter(range(self.n))

    def __len__(self):
        if self.told is None:
            raise TypeError("no length")
        return self.told


class Tens(data.Dataset):
    def __init__(self, n):
        self.n = n

    def __getitem__(self, i):
        return 10 * self.n + i

    def __len__(self):
        return self.n


def lists(batches):
    return [batch.tolist() for batch in batches]


@pytest.mark.parametrize("dataset", [range(7), Stream(7)])
@pytest.mark.parametrize(
    ("size", "drop", "expected"),
    [
        (3, False, [[0, 1, 2], [3, 4, 5], [6]]),
        (3, True, [[0, 1, 2], [3, 4, 5]]),
        (7, True, [[0, 1, 2, 3, 4, 5, 6]]),
        (8, True, []),
    ],
)
def test_batches(dataset, size, drop, expected):
    loader = data.DataLoader(dataset, size, drop_last=drop)
    assert lists(loader) == lists(loader) == expected


def test_single_examples_are_converted_and_not_collated(ow):
    assert list(data.DataLoader([1, "a"], batch_size=None)) == [1, "a"]
    (pair,) = data.DataLoader([(np.zeros(2), 1)], batch_size=None)
    assert isinstance(pair, list)
    assert (pair[0].dtype, pair[1]) == (ow.float64, 1)


def test_batch_sampler_is_asked_again_in_each_iteration():
    loader = data.DataLoader(range(9), batch_sampler=[[8, 1], [0]])
    assert (lists(loader), len(loader), loader.batch_size) == ([[8, 1], [0]], 2, None)
    assert lists(loader) == [[8, 1], [0]]


def test_the_generator_is_called_as_pytorch_calls_it(ow):
    """A number for the seeds of workers, then a permutation, and one of which nothing is left to take."""
    loader = data.DataLoader(range(50), 50, shuffle=True, generator=ow.Generator().manual_seed(7))
    mine = ow.Generator().manual_seed(7)
    for _ in range(2):
        ow.empty((), dtype=ow.int64).random_(generator=mine)
        assert lists(loader) == [ow.randperm(50, generator=mine).tolist()]
        ow.randperm(50, generator=mine)
    ow.manual_seed(3)
    drawn = lists(data.DataLoader(range(50), 50, shuffle=True))
    ow.manual_seed(3)
    seeds = [ow.empty((), dtype=ow.int64).random_().item() for _ in range(2)]
    assert drawn == [ow.randperm(50, generator=ow.Generator().manual_seed(seeds[1])).tolist()]


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (
            {"num_workers": -1},
            ValueError,
            "num_workers option should be non-negative.*num_workers=-1",
        ),
        ({"timeout": -2}, ValueError, "timeout option should be non-negative.*timeout=-2"),
        ({"prefetch_factor": 2}, ValueError, "prefetch_factor=2"),
        ({"num_workers": 1, "prefetch_factor": -1}, ValueError, "prefetch_factor=-1"),
        (
            {"persistent_workers": True},
            ValueError,
            "persistent_workers option needs num_workers > 0",
        ),
        ({"multiprocessing_context": "fork"}, ValueError, "'fork' with num_workers=0"),
        ({"num_workers": 1, "multiprocessing_context": "x"}, ValueError, "valid start method.*'x'"),
        ({"num_workers": 1, "multiprocessing_context": 3}, TypeError, "multiprocessing_context=3"),
        ({"sampler": [1], "shuffle": True}, ValueError, "mutually exclusive with shuffle"),
        ({"batch_sampler": [[1]], "batch_size": 2}, ValueError, "batch_size=2"),
        ({"batch_size": None, "drop_last": True}, ValueError, "mutually exclusive with drop_last"),
        ({"batch_size": 0}, ValueError, "batch_size should be a positive integer.*batch_size=0"),
        ({"batch_size": True}, ValueError, "batch_size=True"),
        ({"drop_last": 1}, ValueError, "drop_last should be a boolean value.*drop_last=1"),
    ],
)
def test_refused_arguments(arguments, error, text):
    with pytest.raises(error, match=text):
        data.DataLoader(range(3), **arguments)


@pytest.mark.parametrize("name", ["shuffle", "sampler", "batch_sampler"])
def test_a_stream_decides_on_its_order(name):
    with pytest.raises(ValueError, match=f"expected unspecified {name} option.*{name}="):
        data.DataLoader(Stream(3), **{name: [[1]] if name != "shuffle" else True})


def test_a_timeout_is_refused_where_there_are_no_workers():
    with pytest.raises(AssertionError, match=r"timeout.*but got 1"):
        iter(data.DataLoader(range(3), timeout=1))


def test_a_loader_keeps_what_it_was_made_with():
    loader = data.DataLoader(range(3), 2)
    with pytest.raises(ValueError, match="batch_size attribute should not be set after DataLoader"):
        loader.batch_size = 3
    loader.collate_fn = tuple
    assert list(pickle.loads(pickle.dumps(loader))) == [(0, 1), (2,)]
    with pytest.raises(NotImplementedError, match="cannot be pickled"):
        pickle.dumps(iter(loader))


def test_more_examples_than_a_stream_told_are_warned_of():
    loader = data.DataLoader(Stream(3, told=2))
    assert len(loader) == 2
    with pytest.warns(UserWarning, match="reported to be 2.*but 3 samples"):
        list(loader)


Point = collections.namedtuple("Point", "x y")


def test_collate_of_containers(ow):
    point = data.default_collate([Point(1, ow.arange(2)), Point(2, ow.arange(2))])
    assert (type(point), point.x.tolist(), point.y.tolist()) == (Point, [1, 2], [[0, 1], [0, 1]])
    named = data.default_collate([collections.OrderedDict(a=1, b="x")] * 2)
    assert (type(named), named["a"].tolist(), named["b"]) == (
        collections.OrderedDict,
        [1, 1],
        ["x"] * 2,
    )
    assert lists(data.default_collate([(1, 2), (3, 4)])) == [[1, 3], [2, 4]]
    assert lists(data.default_collate([range(2), range(2)])) == [[0, 0], [1, 1]]


@pytest.mark.parametrize(
    ("batch", "dtype"),
    [
        ([1, 2], "int64"),
        ([1.0, 2], "float64"),
        ([True, False], "bool"),
        ([np.float32(1)], "float32"),
        ([np.float64(1)], "float64"),
        ([np.int16(1)], "int16"),
        ([np.zeros(2, np.uint8)], "uint8"),
    ],
)
def test_dtypes_of_batches(ow, batch, dtype):
    assert data.default_collate(batch).dtype == getattr(ow, dtype)


@pytest.mark.parametrize(
    ("batch", "error", "text"),
    [
        ([None], TypeError, "batch must contain tensors.*NoneType"),
        ([np.array("a")], TypeError, "found <U1"),
        ([[1], [1, 2]], RuntimeError, "equal size.*element 0 has 1 and element 1 has 2"),
    ],
)
def test_refused_batches(batch, error, text):
    with pytest.raises(error, match=text):
        data.default_collate(batch)


def test_datasets_of_others(ow):
    both = Tens(2) + Tens(3)
    assert [both[i] for i in (-5, -1, 0, 1, 2, 4)] == [20, 32, 20, 21, 30, 32]
    assert list(both) == [20, 21, 30, 31, 32]
    with pytest.raises(ValueError, match="length 5, but got -6"):
        both[-6]
    assert list(Stream(2) + Stream(1)) == [0, 1, 0]
    (batch,) = data.DataLoader(data.StackDataset(a=range(2), b=Tens(2)), 2)
    assert {k: v.tolist() for k, v in batch.items()} == {"a": [0, 1], "b": [20, 21]}
    (batch,) = data.DataLoader(data.TensorDataset(ow.arange(2), ow.ones(2, 3)), 2)
    assert [tuple(t.shape) for t in batch] == [(2,), (2, 3)]
    assert list(data.Subset(Tens(5), [3, 1])) == [53, 51]


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (
            lambda ow: data.TensorDataset(ow.ones(3), ow.ones(2)),
            AssertionError,
            r"tensors\[1\] has 2",
        ),
        (lambda _: data.StackDataset(range(2), range(3)), ValueError, "length 2 .* but 1 has 3"),
        (lambda _: data.StackDataset(), ValueError, "got none"),
        (lambda _: data.ConcatDataset([]), AssertionError, "empty iterable"),
        (
            lambda _: data.ConcatDataset([Stream(1)]),
            AssertionError,
            r"datasets\[0\] is an Iterable",
        ),
        (
            lambda _: list(data.ChainDataset([range(2)])),
            AssertionError,
            r"datasets\[0\] is of range",
        ),
        (lambda _: data.default_collate(()), IndexError, "at least one example, got none"),
        (lambda _: data.random_split(range(9), [3, 7]), ValueError, "sum 10, expected 9"),
        (lambda _: data.random_split(range(9), [1.5, -0.5]), ValueError, "index 0 .* but 1.5"),
    ],
)
def test_refused_datasets(ow, make, error, text):
    with pytest.raises(error, match=text):
        make(ow)


@pytest.mark.parametrize(
    ("n", "lengths", "expected"),
    [
        (10, [3, 7], [3, 7]),
        (10, [0.33, 0.33, 0.34], [4, 3, 3]),
        (3, [0.1, 0.9], [1, 2]),
        (5, [1], [5]),
    ],
)
def test_random_split(n, lengths, expected):
    parts = data.random_split(range(n), lengths)
    assert [len(part) for part in parts] == expected
    assert sorted(i for part in parts for i in part.indices) == list(range(n))


def test_names_of_the_loader_s_module():
    from opweave.utils.data._utils.collate import default_collate_err_msg_format
    from opweave.utils.data.dataloader import (
        _BaseDataLoaderIter,
        _MultiProcessingDataLoaderIter,
        _SingleProcessDataLoaderIter,
    )

    loader = data.DataLoader(range(3), num_workers=1)
    batches = iter(loader)
    assert type(batches) is _MultiProcessingDataLoaderIter
    assert issubclass(_MultiProcessingDataLoaderIter, _BaseDataLoaderIter)
    assert type(iter(data.DataLoader(range(3)))) is _SingleProcessDataLoaderIter
    with pytest.raises(AttributeError, match="has no attribute '_Other'"):
        data.dataloader._Other  # noqa: B018
    with pytest.raises(TypeError) as refused:
        data.default_collate([object()])
    assert str(refused.value) == default_collate_err_msg_format.format(object)


def test_random_samplers():
    counts = collections.Counter(data.RandomSampler(range(5), num_samples=13))
    assert (sum(counts.values()), min(counts.values()), max(counts.values())) == (13, 2, 3)
    assert len(list(data.RandomSampler(range(5), True, 70))) == 70
    assert sorted(data.SubsetRandomSampler([7, 9, 8])) == [7, 8, 9]


@pytest.mark.parametrize("replacement", [True, False])
def test_weights_are_frequencies(ow, replacement):
    generator = ow.Generator().manual_seed(1)
    first = collections.Counter()
    for _ in range(2000):
        sampler = data.WeightedRandomSampler([0, 1, 3.0], 2, replacement, generator)
        drawn = list(sampler)
        assert len(set(drawn)) == 2 or replacement
        first[drawn[0]] += 1
    assert first[0] == 0
    assert 1400 < first[2] < 1600  # 1500, and five standard deviations


@pytest.mark.parametrize(
    ("weights", "text"),
    [
        ([-1, 2], "contains either `inf`, `nan` or element < 0"),
        ([float("nan"), 1], "contains either `inf`, `nan` or element < 0"),
        ([], r"cannot sample from no weights: prob_dist has the shape \[0\]"),
        ([0, 0], r"invalid multinomial distribution \(sum of probabilities <= 0\)"),
    ],
)
def test_refused_weights(weights, text):
    with pytest.raises(RuntimeError, match=text):
        list(data.WeightedRandomSampler(weights, 1))
