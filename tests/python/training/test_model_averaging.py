"""Averages of parameters every few steps, as PyTorch's averagers and hooks of local SGD make them."""

import copy

import opweave as ow
import pytest
from opweave import nn
from opweave.distributed.algorithms import ddp_comm_hooks
from opweave.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook import (
    PostLocalSGDState,
    post_localSGD_hook,
)
from opweave.distributed.algorithms.model_averaging import averagers, utils
from opweave.distributed.algorithms.model_averaging.hierarchical_model_averager import (
    HierarchicalModelAverager,
)
from opweave.distributed.optim import PostLocalSGDOptimizer
from support.ranks import run


def stepped(averager, rank, steps):
    """A parameter after each step, in which a rank adds 1 + its number to it."""
    parameter = nn.Parameter(ow.zeros(2))
    parameter.grad = ow.zeros(2)
    other = nn.Parameter(ow.full((1,), float(rank)))  # has no gradient
    values = []
    for _ in range(steps):
        parameter.data.add_(1 + rank)
        averager.average_parameters([parameter, other])
        values.append(parameter[0].item())
    assert other.item() == rank
    return values


def periodic(dist, rank, size):
    averager = averagers.PeriodicModelAverager(period=2, warmup_steps=1)
    return stepped(averager, rank, 5)


def test_every_few_steps(tmp_path):
    first, second = run(periodic, 2, tmp_path)
    assert first == [1.0, 3.0, 4.0, 6.0, 7.0]  # the second and the fourth are averages
    assert second == [2.0, 3.0, 5.0, 6.0, 8.0]


def hierarchical(dist, rank, size):
    return stepped(HierarchicalModelAverager({2: 2, 4: 4}), rank, 5)


def test_small_groups_more_often(tmp_path):
    """Steps 0 and 4 average over four ranks, step 2 over pairs."""
    found = run(hierarchical, 4, tmp_path)
    # After step 0 all have 2.5; each adds 1 + rank in steps 1 and 2, and pairs average then.
    assert [values[0] for values in found] == [2.5] * 4
    assert [values[1] for values in found] == [3.5, 4.5, 5.5, 6.5]
    assert [values[2] for values in found] == [5.5, 5.5, 9.5, 9.5]
    assert [values[4] for values in found] == [12.5] * 4


def local_sgd(dist, rank, size, hook):
    ow.manual_seed(3)
    model = nn.parallel.DistributedDataParallel(nn.Linear(3, 1))
    _, groups = dist.new_subgroups(group_size=1)
    alone = groups[rank]
    if hook:
        model.register_comm_hook(PostLocalSGDState(None, alone, 2), post_localSGD_hook)
    optimizer = PostLocalSGDOptimizer(
        ow.optim.SGD(model.parameters(), lr=0.1),
        averagers.PeriodicModelAverager(period=3, warmup_steps=2),
    )
    weights = []
    for step in range(5):
        optimizer.zero_grad()
        x = ow.randn(4, 3, generator=ow.Generator().manual_seed(10 * step + rank))
        model(x).square().sum().backward()
        optimizer.step()
        weights.append(model.module.weight.flatten().tolist())
    saved = optimizer.state_dict()
    optimizer.averager.step = 0
    optimizer.load_state_dict(copy.deepcopy(saved))
    assert optimizer.averager.step == saved["step"] == 5
    with pytest.warns(UserWarning, match="does not contain a step counter"):
        optimizer.load_state_dict({k: v for k, v in saved.items() if k != "step"})
    assert repr(optimizer).startswith("SGD (")
    assert optimizer.averager.step == 0
    return weights


@pytest.mark.parametrize("hook", [False, True])
def test_local_sgd(tmp_path, hook):
    """Alike for two steps, then each rank goes its own way, but where parameters are averaged: steps 2 and
    5."""
    first, second = run(local_sgd, 2, tmp_path, hook=hook)
    alike = [a == pytest.approx(b) for a, b in zip(first, second, strict=True)]
    assert alike == ([True] * 3 + [False] * 2 if hook else [True] * 5)


def hooks_by_name(dist, rank, size, name):
    ow.manual_seed(5)
    model = nn.parallel.DistributedDataParallel(nn.Linear(6, 20))
    kind = ddp_comm_hooks.DDPCommHookType[name]
    ddp_comm_hooks.register_ddp_comm_hook(kind, model)
    model(ow.full((5, 6), 1.0 + rank)).sum().backward()
    return model.module.weight.grad.flatten().tolist()


@pytest.mark.parametrize("name", [kind.name for kind in ddp_comm_hooks.DDPCommHookType])
def test_hooks_by_name(tmp_path, name):
    first, second = run(hooks_by_name, 2, tmp_path, name=name)
    if name == "NOOP":
        assert (first[0], second[0]) == (5.0, 10.0)
    else:
        assert first == second == pytest.approx([7.5] * 120, rel=1e-2)


def bad_arguments(dist, rank, size):
    parameter = nn.Parameter(ow.zeros(1))
    for call, kind, words in (
        (
            lambda: averagers.PeriodicModelAverager(0),
            ValueError,
            "``period`` must be a positive value, got 0",
        ),
        (lambda: averagers.PeriodicModelAverager(2, -1), ValueError, "non-negative number, got -1"),
        (
            lambda: averagers.ModelAverager(),
            TypeError,
            "Can't instantiate abstract class ModelAverager",
        ),
        (lambda: HierarchicalModelAverager({}), ValueError, "must not be empty"),
        (lambda: HierarchicalModelAverager({0: 2}), ValueError, "must be a positive value, got 0"),
        (lambda: HierarchicalModelAverager({2: 1}), ValueError, "1 must be equal to the size .* 2"),
        (
            lambda: utils.get_params_to_average([ow.ones(1)]),
            NotImplementedError,
            "type <class .*Tensor'> is not",
        ),
        (
            lambda: ddp_comm_hooks.register_ddp_comm_hook("x", None),
            TypeError,
            "expected a DDPCommHookType, got str",
        ),
    ):
        with pytest.raises(kind, match=words):
            call()
    with pytest.warns(UserWarning, match="When period is 1, no need to use model averaging"):
        averagers.PeriodicModelAverager(1)
    assert utils.get_params_to_average([{"params": [parameter]}]) == []
    return True


def test_bad_arguments(tmp_path):
    assert run(bad_arguments, 2, tmp_path) == [True, True]


def test_without_a_group():
    with pytest.raises(
        TypeError, match=r"expected a ProcessGroup, or None after init_process_group"
    ):
        averagers.PeriodicModelAverager(2)
