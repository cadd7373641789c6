"""ZeroRedundancyOptimizer: equal to the optimiser of all parameters, and a part of its memory."""

import pickle

import opweave as ow
import pytest
from opweave import nn
from opweave.distributed.algorithms import Join
from opweave.distributed.optim import ZeroRedundancyOptimizer
from opweave.distributed.optim._partition import partition
from support.ranks import run

OPTIMIZERS = {
    "adam": (ow.optim.Adam, {"lr": 0.01}),
    "adamw": (ow.optim.AdamW, {"lr": 0.01, "weight_decay": 0.1}),
    "sgd": (ow.optim.SGD, {"lr": 0.05, "momentum": 0.9}),
}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 3)
        )

    def forward(self, x):
        return self.layers(x)


def batch(rank, step):
    return ow.randn(4, 6, generator=ow.Generator().manual_seed(100 * rank + step))


def flat(model):
    return [v for p in model.parameters() for v in p.detach().flatten().tolist()]


def nbytes(tensors):
    return sum(t.nbytes for t in tensors)


def state_bytes(optimizer):
    states = optimizer.state.values()
    return nbytes(v for s in states for v in s.values() if isinstance(v, ow.Tensor) and v.ndim)


def plain(kind, size, steps, groups=None):
    ow.manual_seed(1)
    model = Net()
    optimizer_class, options = OPTIMIZERS[kind]
    optimizer = optimizer_class(groups(model) if groups else model.parameters(), **options)
    for step in range(steps):
        optimizer.zero_grad()
        for rank in range(size):
            (model(batch(rank, step)).square().mean() / size).backward()
        optimizer.step()
    return model, optimizer


def step_of(model, optimizer, rank, step):
    optimizer.zero_grad()
    model(batch(rank, step)).square().mean().backward()
    optimizer.step()


def train(dist, rank, size, kind, stage, view, lazy=False):
    ow.manual_seed(1)
    model = nn.parallel.DistributedDataParallel(
        Net(), bucket_cap_mb=0.001, lazy_bucket_allocation=lazy
    )
    optimizer_class, options = OPTIMIZERS[kind]
    optimizer = ZeroRedundancyOptimizer(
        model.parameters(), optimizer_class, parameters_as_bucket_view=view, **options
    )
    if stage == 2:
        optimizer.shard_gradients(model)
    ow.manual_seed(1)
    whole = nn.parallel.DistributedDataParallel(Net(), bucket_cap_mb=0.001)
    plainly = optimizer_class(whole.parameters(), **options)
    for step in range(20):
        step_of(model, optimizer, rank, step)
        step_of(whole, plainly, rank, step)
    assert stage == 2 or flat(model) == flat(whole)  # to the bit; one sum has another order
    grads = nbytes(p.grad for p in model.parameters() if p.grad is not None)
    return [flat(model), state_bytes(optimizer.optim), grads]


@pytest.mark.parametrize("view", [False, True], ids=["single", "blocks"])
@pytest.mark.parametrize("stage", [1, 2])
@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_20_steps_are_those_of_the_plain_optimizer(tmp_path, kind, stage, view):
    results = run(train, 3, tmp_path, kind=kind, stage=stage, view=view, lazy=view)
    model, optimizer = plain(kind, 3, 20)
    everything = nbytes(model.parameters())
    largest = max(p.nbytes for p in model.parameters())
    for parameters, state, grads in results:
        assert parameters == results[0][0]
        assert parameters == pytest.approx(flat(model), rel=1e-4, abs=2e-6)
        share = everything / 3 + largest
        assert state <= share * (1 if kind == "sgd" else 2)
        assert grads <= share if stage == 2 else grads == everything
    assert sum(state for _, state, _ in results) == state_bytes(optimizer)
    if stage == 2:
        assert sum(grads for _, _, grads in results) == everything


def saves(dist, rank, size, kind):
    """10 steps, a state that rank 1 has, and 10 more of other objects that load it."""
    ow.manual_seed(1)
    model = nn.parallel.DistributedDataParallel(Net())
    optimizer_class, options = OPTIMIZERS[kind]
    optimizer = ZeroRedundancyOptimizer(model.parameters(), optimizer_class, **options)
    for step in range(10):
        step_of(model, optimizer, rank, step)
    with pytest.raises(RuntimeError, match=r"`consolidate_state_dict\(to=\d\)` on all ranks"):
        optimizer.state_dict()
    optimizer.consolidate_state_dict(to=1)
    saved = [pickle.dumps((optimizer.state_dict(), model.state_dict())) if rank == 1 else None]
    dist.broadcast_object_list(saved, 1)
    state, parameters = pickle.loads(saved[0])
    ow.manual_seed(9)
    other = nn.parallel.DistributedDataParallel(Net())
    other.load_state_dict(parameters)
    again = ZeroRedundancyOptimizer(other.parameters(), optimizer_class, **options | {"lr": 5.0})
    again.load_state_dict(state)
    for step in range(10, 20):
        step_of(model, optimizer, rank, step)
        step_of(other, again, rank, step)
    plain_one = optimizer_class(other.parameters(), **options)
    plain_one.load_state_dict(state)
    return [flat(model), flat(other), len(plain_one.state), again.param_groups[0]["lr"]]


@pytest.mark.parametrize("kind", ["adam", "sgd"])
def test_a_state_is_saved_and_loaded(tmp_path, kind):
    for one, other, count, lr in run(saves, 3, tmp_path, kind=kind):
        assert one == other
        assert count == 6
        assert lr == OPTIMIZERS[kind][1]["lr"]


def takes(dist, rank, size):
    """The dtypes of a state that was saved by a plain optimiser of parameters with more digits."""
    precise = [nn.Parameter(ow.ones(4, dtype=ow.float64)) for _ in range(4)]
    saved = ow.optim.Adam(precise, lr=0.1)
    sum(p.square().sum() for p in precise).backward()
    saved.step()
    ps = [nn.Parameter(p.detach().float()) for p in precise]
    optimizer = ZeroRedundancyOptimizer(ps, ow.optim.Adam, lr=0.1)
    optimizer.load_state_dict(saved.state_dict())
    states = list(optimizer.optim.state.values())
    for optimizer_of, parameters in ((saved, precise), (optimizer, ps)):
        optimizer_of.zero_grad()
        sum(p.square().sum() for p in parameters).backward()
        optimizer_of.step()
    difference = max(
        (p - q.detach().float()).abs().max().item() for p, q in zip(ps, precise, strict=True)
    )
    return [[str(s["exp_avg"].dtype) for s in states], difference]


def test_a_state_of_another_dtype_becomes_that_of_the_parameters(tmp_path):
    for dtypes, difference in run(takes, 2, tmp_path):
        assert dtypes == ["opweave.float32"] * 2
        assert difference < 1e-6


def grows(dist, rank, size, view, stage=1):
    """A group with options of its own that is added later, and a learning rate that is changed."""
    ow.manual_seed(1)
    model = nn.parallel.DistributedDataParallel(Net())
    parameters = list(model.parameters())
    optimizer = ZeroRedundancyOptimizer(
        parameters[:4], ow.optim.SGD, parameters_as_bucket_view=view, lr=0.05
    )
    if stage == 2:
        optimizer.shard_gradients(model)
    optimizer.add_param_group({"params": parameters[4:], "lr": 0.2, "momentum": 0.5})
    for step in range(4):
        if step == 2:
            optimizer.param_groups[0]["lr"] = 0.01
        step_of(model, optimizer, rank, step)
    return [flat(model), [group["momentum"] for group in optimizer.param_groups]]


@pytest.mark.parametrize("view", [False, True])
@pytest.mark.parametrize("stage", [1, 2])
def test_groups_and_options(tmp_path, view, stage):
    ow.manual_seed(1)
    model = Net()
    parameters = list(model.parameters())
    optimizer = ow.optim.SGD(parameters[:4], lr=0.05)
    optimizer.add_param_group({"params": parameters[4:], "lr": 0.2, "momentum": 0.5})
    for step in range(4):
        if step == 2:
            optimizer.param_groups[0]["lr"] = 0.01
        optimizer.zero_grad()
        for rank in range(2):
            (model(batch(rank, step)).square().mean() / 2).backward()
        optimizer.step()
    for parameters, momenta in run(grows, 2, tmp_path, view=view, stage=stage):
        assert parameters == pytest.approx(flat(model), rel=1e-5, abs=1e-6)
        assert momenta == [0, 0.5]


def uneven(dist, rank, size):
    """Rank 0 has no data from the third step on, and updates its part all the same."""
    ow.manual_seed(1)
    model = nn.parallel.DistributedDataParallel(Net())
    optimizer = ZeroRedundancyOptimizer(model.parameters(), ow.optim.Adam, lr=0.01)
    with Join([model, optimizer]):
        for step in range(2 if rank == 0 else 5):
            step_of(model, optimizer, rank, step)
    return flat(model)


def test_ranks_without_data(tmp_path):
    first, second = run(uneven, 2, tmp_path)
    ow.manual_seed(1)
    model = Net()
    optimizer = ow.optim.Adam(model.parameters(), lr=0.01)
    for step in range(5):
        optimizer.zero_grad()
        for rank in range(2) if step < 2 else [1]:
            (model(batch(rank, step)).square().mean() / 2).backward()
        optimizer.step()
    assert first == second
    assert first == pytest.approx(flat(model), rel=1e-4, abs=2e-6)


def few(dist, rank, size):
    """More ranks than parameters; a closure."""
    w = ow.ones(3, requires_grad=True)
    optimizer = ZeroRedundancyOptimizer([w], ow.optim.SGD, lr=0.5)

    def closure():
        optimizer.zero_grad()
        loss = w.sum()
        loss.backward()
        return loss

    return [optimizer.step(closure).item(), w.tolist()]


def test_more_ranks_than_parameters(tmp_path):
    assert run(few, 2, tmp_path) == [[3.0, [0.5] * 3]] * 2


def refuses(dist, rank, size):
    texts = []
    for options in (
        {"overlap_with_ddp": True},
        {"optimizer_class": "sgd"},
        {"params": []},
        {"params": [3]},
    ):
        with pytest.raises((TypeError, ValueError, NotImplementedError)) as caught:
            ZeroRedundancyOptimizer(
                **{"params": [ow.ones(1)], "optimizer_class": ow.optim.SGD} | options
            )
        texts.append(str(caught.value))
    optimizer = ZeroRedundancyOptimizer([ow.ones(1)], ow.optim.SGD)
    for call in (
        lambda: optimizer.shard_gradients(Net()),
        lambda: ZeroRedundancyOptimizer([ow.ones(1)], ow.optim.SGD, process_group=3),
        lambda: dist.trace.TrainingTimeline(Net()),
    ):
        with pytest.raises(TypeError) as caught:
            call()
        texts.append(str(caught.value))
    return texts


def test_refusals(tmp_path):
    ((overlap, kind, none, number, *wrong),) = run(refuses, 1, tmp_path)
    assert overlap.startswith("overlap_with_ddp: steps within the backward pass are not built")
    assert kind == "optimizer_class: expected a class of optimisers, got 'sgd'"
    assert none == "optimizer got an empty parameter list"
    assert number == "optimizer can only optimize Tensors, but one of the params is int"
    assert wrong == [
        "shard_gradients(): model: expected a DistributedDataParallel, got Net",
        "ZeroRedundancyOptimizer(): process_group: expected a ProcessGroup or None, got int",
        "TrainingTimeline(): model: expected a DistributedDataParallel, got Net",
    ]


# Who has which of tensors of these sizes, of two groups, in PyTorch 2.15.
def test_the_partition_is_pytorchs():
    groups = [
        {"params": [ow.empty(n) for n in (5, 9, 1, 9, 4)]},
        {"params": [ow.empty(n) for n in (7, 2, 8)]},
    ]
    sizes = [
        [[p.numel() for p in group["params"]] for group in part] for part in partition(groups, 3)
    ]
    assert sizes == [[[9, 1], [2]], [[9], [8]], [[5, 4], [7]]]


def of_two(dist, rank, size):
    """A part of the parameters by this optimiser, the others by one that each rank has whole."""
    ow.manual_seed(1)
    model = nn.parallel.DistributedDataParallel(Net())
    parameters = list(model.parameters())
    part = ZeroRedundancyOptimizer(parameters[:2], ow.optim.SGD, lr=0.05)
    part.shard_gradients(model)
    rest = ow.optim.SGD(parameters[2:], lr=0.05)
    for step in range(3):
        model.zero_grad()
        model(batch(rank, step)).square().mean().backward()
        part.step()
        rest.step()
    return flat(model)


def test_parameters_of_another_optimizer_keep_their_gradients(tmp_path):
    ow.manual_seed(1)
    model = Net()
    optimizer = ow.optim.SGD(model.parameters(), lr=0.05)
    for step in range(3):
        optimizer.zero_grad()
        for rank in range(2):
            (model(batch(rank, step)).square().mean() / 2).backward()
        optimizer.step()
    for parameters in run(of_two, 2, tmp_path):
        assert parameters == pytest.approx(flat(model), rel=1e-5, abs=1e-6)


def strided(dist, rank, size, kind, view):
    """Parameters after steps of one that is transposed in memory, and of the same that is not."""
    optimizer_class, options = OPTIMIZERS[kind]
    found = []
    for transposed in (True, False):
        values = ow.arange(12, dtype=ow.float32).reshape(3, 4)
        first = nn.Parameter(values.t().contiguous().t() if transposed else values)
        assert first.is_contiguous() != transposed
        ps = [first, nn.Parameter(ow.ones(4, 4))]
        optimizer = ZeroRedundancyOptimizer(
            ps, optimizer_class, parameters_as_bucket_view=view, **options
        )
        for _ in range(3):
            optimizer.zero_grad()
            sum(p.square().sum() for p in ps).backward()
            optimizer.step()
        found.append([p.tolist() for p in ps])
    assert found[0] == found[1]
    return found[0]


@pytest.mark.parametrize("view", [False, True], ids=["single", "blocks"])
@pytest.mark.parametrize("kind", ["sgd", "adam"])
def test_parameters_of_any_strides(tmp_path, kind, view):
    first, second = run(strided, 2, tmp_path, kind=kind, view=view)
    assert first == second
