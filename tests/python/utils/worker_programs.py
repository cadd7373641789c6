"""Iterations of DataLoader by name; each gives what can be compared. `m` is the package: opweave or torch."""

import importlib
import random

import numpy as np


def data_of(m):
    return m.utils.data


class Seeds:
    """Examples that say which worker made them, and its random numbers."""

    def __init__(self, m, n):
        self.m, self.n = m, n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        info = data_of(self.m).get_worker_info()
        drawn = random.random(), np.random.rand(), self.m.rand(()).item()
        return (i, info.id, info.num_workers, info.seed - info.id, *drawn)


def as_is(batch):
    return batch


def seeds(m, **options):
    m.manual_seed(11)
    loader = data_of(m).DataLoader(Seeds(m, 8), 2, num_workers=2, collate_fn=as_is, **options)
    return [list(map(list, batch)) for batch in loader]


def seeds_of_generator(m):
    generator = m.Generator()
    generator.manual_seed(5)
    return seeds(m, shuffle=True, generator=generator)


def seeds_of_persistent(m):
    m.manual_seed(11)
    loader = data_of(m).DataLoader(
        Seeds(m, 4), 2, num_workers=2, collate_fn=as_is, persistent_workers=True
    )
    return [[list(map(list, batch)) for batch in loader] for _ in range(3)]


def seeds_anew(m):
    m.manual_seed(11)
    loader = data_of(m).DataLoader(Seeds(m, 4), 2, num_workers=2, collate_fn=as_is)
    return [[list(map(list, batch)) for batch in loader] for _ in range(2)]


def shards(m, workers, size, drop, lengths):
    """An IterableDataset whose workers have different lengths."""

    class Shard(data_of(m).IterableDataset):
        def __iter__(self):
            i = data_of(m).get_worker_info().id
            return iter(range(100 * i, 100 * i + lengths[i]))

    loader = data_of(m).DataLoader(Shard(), size, num_workers=workers, drop_last=drop)
    return [batch.tolist() for batch in loader]


def eager_orders(m, **options):
    """A batch sampler that draws when it is asked for an iterator, not when that is asked for a batch."""

    class Eager:
        def __init__(self):
            self.asked = 0

        def __iter__(self):
            self.asked += 1
            return iter(m.randperm(6).view(3, 2).tolist())

    m.manual_seed(11)
    sampler = Eager()
    loader = data_of(m).DataLoader(range(6), batch_sampler=sampler, **options)
    passes = [[batch.tolist() for batch in loader] for _ in range(3)]
    return [passes, sampler.asked]


def weighted(m, replacement):
    """Indices by weight, of the default generator and of one of one's own."""
    m.manual_seed(11)
    sampler = data_of(m).WeightedRandomSampler
    weights, own = [0.5, 0.0, 2, 1, 1e-3, 7], m.Generator().manual_seed(5)
    samplers = [sampler(weights, 4, replacement), sampler(weights, 3, replacement, own)]
    return [[list(one) for one in samplers] for _ in range(3)]


def modules_of(m):
    """What a module named after it holds: opweave's or torch's."""
    find = lambda name: importlib.import_module(f"{m.__name__}.utils.data.{name}")  # noqa: E731
    return find("datapipes.iter"), find("datapipes.map"), find("graph_settings")


def add_one(x):
    return x + 1


def is_even(x):
    return x % 2 == 0


def chunks(m, **options):
    """Steps one after another, as a data set."""
    steps, _, _ = modules_of(m)
    pipe = steps.IterableWrapper(list(range(12))).shuffle().sharding_filter().map(add_one)
    m.manual_seed(3)
    loader = data_of(m).DataLoader(pipe, batch_size=4, **options)
    return [[batch.tolist() for batch in loader] for _ in range(3)]


def plain(value):
    """Lists in the place of tuples."""
    return [plain(v) for v in value] if isinstance(value, (list, tuple)) else value


def steps_alone(m):
    steps, by_index, settings = modules_of(m)
    m.manual_seed(3)
    first = steps.IterableWrapper(range(7))
    second = steps.IterableWrapper([(i, 10 * i) for i in range(4)])
    by_place = by_index.SequenceWrapper(range(5)).map(add_one).batch(2)
    shared = steps.IterableWrapper(range(7)).sharding_filter()
    settings.apply_sharding(shared, 3, 1)
    seeded = settings.apply_random_seed(first.shuffle(buffer_size=3), m.Generator().manual_seed(1))
    return [
        *(list(p) for p in (first.shuffle(), first.shuffle(buffer_size=2), first.filter(is_even))),
        *(
            list(p)
            for p in (first.batch(3), first.batch(3, drop_last=True), first.batch(2).unbatch())
        ),
        *(
            list(map(list, p))
            for p in (first.zip(second), second.map(add_one, 1), second.map(add_one, 1, -1))
        ),
        *(
            list(p)
            for p in (
                first.concat(first),
                first.mux(steps.IterableWrapper(range(5)).map(add_one)),
                shared,
                seeded,
            )
        ),
        *(
            len(p)
            for p in (first.batch(3), first.batch(3, drop_last=True), first.concat(second), shared)
        ),
        [list(by_place[i]) for i in range(3)],
        list(by_index.SequenceWrapper(range(6)).shuffle()),
        list(by_index.SequenceWrapper(range(6)).shuffle().set_seed(4)),
        list(by_index.SequenceWrapper("ab").concat(by_index.SequenceWrapper("c"))),
        [repr(first), str(first.shuffle()), type(first.batch(2)).__name__],
    ]


CASES = {
    "chunks": chunks,
    "chunks in order": lambda m: chunks(m, shuffle=False),
    "chunks of workers": lambda m: chunks(m, num_workers=2),
    "chunks of persistent workers": lambda m: chunks(m, num_workers=2, persistent_workers=True),
    "steps_alone": lambda m: plain(steps_alone(m)),
    "weighted": lambda m: weighted(m, True),
    "weighted without replacement": lambda m: weighted(m, False),
    "eager_orders": lambda m: eager_orders(m, num_workers=2),
    "eager_orders of persistent workers": lambda m: eager_orders(
        m, num_workers=2, persistent_workers=True
    ),
    "eager_orders without workers": eager_orders,
    "seeds": seeds,
    "seeds_of_generator": seeds_of_generator,
    "seeds_of_persistent": seeds_of_persistent,
    "seeds_anew": seeds_anew,
    **{
        f"shards {workers} {size} {drop} {lengths}": (
            lambda m, w=workers, s=size, d=drop, n=lengths: shards(m, w, s, d, n)
        )
        for workers, size, drop, lengths in [
            (2, 2, False, (5, 4)),
            (2, 2, True, (5, 4)),
            (3, 3, False, (1, 10, 4)),
            (3, 2, False, (0, 0, 7)),
            (3, 4, True, (3, 0, 9)),
            (1, 3, False, (8,)),
            (4, 2, False, (2, 9, 0, 5)),
        ]
    },
}
