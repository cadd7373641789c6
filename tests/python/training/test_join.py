"""Ranks with unequal numbers of batches: those that are done take part until all are."""

import opweave as ow
import pytest
from opweave import nn
from opweave.distributed.algorithms import Join, Joinable, JoinHook
from support.ranks import run


class Net(nn.Module):
    """Two layers, a norm with buffers if it is asked for, and a layer that some batches use."""

    def __init__(self, norm=False):
        super().__init__()
        self.first, self.last = nn.Linear(3, 4), nn.Linear(4, 2)
        self.norm = nn.BatchNorm1d(4) if norm else nn.Identity()
        self.more = nn.Linear(2, 2)

    def forward(self, x, more=True):
        x = self.last(ow.tanh(self.norm(self.first(x))))
        return self.more(x) if more else x


def batch(rank, step):
    return ow.randn(4, 3, generator=ow.Generator().manual_seed(10 * rank + step))


def batches(rank):
    return 2 * rank + 1


def flat(model):
    return [v for p in model.parameters() for v in p.detach().flatten().tolist()]


def train(dist, rank, size, options, by_all=True, norm=False, hook=False):
    ow.manual_seed(5)
    model = nn.parallel.DistributedDataParallel(Net(norm), **options)
    if hook:
        from opweave.distributed.algorithms.ddp_comm_hooks import default_hooks

        model.register_comm_hook(None, default_hooks.allreduce_hook)
    optimizer = ow.optim.SGD(model.parameters(), lr=0.1)
    with model.join(divide_by_initial_world_size=by_all):
        for step in range(batches(rank)):
            optimizer.zero_grad()
            more = rank < 2 or not options.get("find_unused_parameters")
            model(batch(rank, step), more=more).square().mean().backward()
            optimizer.step()
    after = model(ow.ones(2, 3)).sum()
    model.zero_grad()
    after.backward()
    return [flat(model), [p.grad.sum().item() for p in model.parameters()]]


def alone(size, by_all, unused):
    """The same by one process, which knows who has data."""
    ow.manual_seed(5)
    model = Net()
    optimizer = ow.optim.SGD(model.parameters(), lr=0.1)
    for step in range(max(map(batches, range(size)))):
        optimizer.zero_grad()
        active = [rank for rank in range(size) if step < batches(rank)]
        for rank in active:
            more = rank < 2 or not unused
            loss = model(batch(rank, step), more=more).square().mean()
            (loss / (size if by_all else len(active))).backward()
        optimizer.step()
    return flat(model)


@pytest.mark.parametrize("by_all", [True, False], ids=["all", "active"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"gradient_as_bucket_view": True, "bucket_cap_mb": 0.00005},
        {"find_unused_parameters": True},
        {"static_graph": True},
    ],
    ids=["plain", "views", "unused", "static"],
)
def test_the_last_rank_with_data_goes_on(tmp_path, options, by_all):
    results = run(train, 3, tmp_path, options=options, by_all=by_all)
    expected = alone(3, by_all, "find_unused_parameters" in options)
    for parameters, gradients in results:
        assert parameters == results[0][0]
        assert parameters == pytest.approx(expected, rel=1e-5, abs=1e-6)
        assert gradients == results[0][1]  # divided by the number of all ranks again


@pytest.mark.parametrize("hook", [False, True], ids=["average", "hook"])
def test_buffers_are_those_of_a_rank_with_data(tmp_path, hook):
    results = run(train, 3, tmp_path, options={}, norm=True, hook=hook)
    assert results[0] == results[1] == results[2]


def sums_up(dist, rank, size):
    ow.manual_seed(5)
    model = nn.parallel.DistributedDataParallel(Net())
    with model.join():
        for step in range(batches(rank)):
            with model.no_sync():
                model(batch(rank, step)).sum().backward()
            model(batch(rank, step)).sum().backward()
    return [p.grad.flatten().tolist() for p in model.parameters()]


def test_no_sync_within_join(tmp_path):
    """The average of what ranks have summed up; a rank that is done adds zeros to what rank 1 has."""
    first, second = run(sums_up, 2, tmp_path, timeout=10)
    ow.manual_seed(5)
    model = Net()
    for step in range(3):
        for p in model.parameters():
            if step:
                p.grad /= 2
        for rank in (0, 1) if step == 0 else (1,):
            model(batch(rank, step)).sum().backward()  # twice, of two ranks
    for got, p in zip(second, model.parameters(), strict=True):
        assert got == pytest.approx(p.grad.flatten().tolist(), rel=1e-4, abs=1e-5)
    assert first == second


def refuses(dist, rank, size):
    options = {"find_unused_parameters": True, "skip_all_reduce_unused_params": True}
    model = nn.parallel.DistributedDataParallel(Net(), **options)
    with pytest.raises(NotImplementedError) as caught:
        model.join()
    return str(caught.value)


def test_ranks_without_data_do_not_know_what_others_leave_out(tmp_path):
    for text in run(refuses, 2, tmp_path):
        assert text == (
            "join(): skip_all_reduce_unused_params: a rank without data does not know which buckets the "
            "others leave out; use find_unused_parameters=True alone"
        )


def trains(model, rank, done):
    with model.join(throw_on_early_termination=True):
        for step in range(batches(rank)):
            model(batch(rank, step)).sum().backward()
            done.append(step)


def ends_early(dist, rank, size):
    model = nn.parallel.DistributedDataParallel(Net())
    done = []
    with pytest.raises(RuntimeError) as caught:
        trains(model, rank, done)
    model(batch(rank, 0)).sum().backward()  # the group goes on
    return [str(caught.value), len(done)]


def test_all_ranks_end_with_the_first(tmp_path):
    first, *others = run(ends_early, 3, tmp_path)
    assert first == ["Rank 0 exhausted all inputs.", 1]
    for other in others:
        assert other == [
            "Detected at least one rank that exhausted inputs. Throwing across all ranks.",
            1,
        ]


class Counter(Joinable):
    """Sums up over ranks what each has, with a hook of the program's own."""

    def __init__(self, dist):
        super().__init__()
        self.dist, self.total, self.ends = dist, 0, []

    def __call__(self, value):
        Join.notify_join_context(self)
        total = ow.tensor([float(value)])
        self.dist.all_reduce(total)
        self.total += total.item()

    def join_hook(self, **kwargs):
        counter = self

        class Hook(JoinHook):
            def main_hook(self):
                counter.dist.all_reduce(ow.zeros(1))

            def post_hook(self, is_last_joiner):
                counter.ends.append([is_last_joiner, kwargs["scale"]])

        return Hook()

    @property
    def join_device(self):
        return ow.device("cpu")

    @property
    def join_process_group(self):
        return self.dist.group.WORLD


def counts(dist, rank, size):
    counter, model = Counter(dist), nn.parallel.DistributedDataParallel(Net())
    with Join([counter, model], scale=3):
        for step in range(batches(rank)):
            counter(step + 1)
            model(batch(rank, step)).sum().backward()
    texts = []
    for joinables, kind in (([], ValueError), ([3], TypeError)):
        with pytest.raises(kind) as caught:
            Join(joinables)
        texts.append(str(caught.value))
    return [counter.total, counter.ends, texts, flat(model)]


def test_other_objects_in_one_context(tmp_path):
    (a, ends_a, texts, same), (b, ends_b, _, also) = run(counts, 2, tmp_path)
    assert (a, b) == (2, 2 + 2 + 3)
    assert (ends_a, ends_b) == ([[False, 3]], [[True, 3]])
    assert texts == [
        "The join context manager requires at least one joinable",
        "Join: expected objects that are Joinable, got int",
    ]
    assert same == also
