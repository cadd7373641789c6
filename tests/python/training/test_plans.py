"""Random plans of passes, with all options, against one process that does what all ranks do."""

import random

import opweave as ow
import pytest
from opweave import nn
from support.ranks import run

CASES, STEPS = 40, 4


class Net(nn.Module):
    """Layers side by side, of which a call uses those that it names; their outputs or the sum."""

    def __init__(self, layers, width):
        super().__init__()
        self.layers = nn.Sequential(*[nn.Linear(3, width if i == 0 else 3) for i in range(layers)])

    def forward(self, x, use):
        return [self.layers[i](x).sum() * (i + 1.0) for i in use] or [x.sum()]


class Plan:
    """What all ranks do in one case, from its number."""

    def __init__(self, number, size):
        self.draw = draw = random.Random(number)
        self.number, self.size = number, size
        self.layers, self.width = draw.randint(1, 5), draw.choice([1, 3, 50])
        self.mode = draw.choice(["plain", "unused", "static", "skipped"])
        self.options = {
            "gradient_as_bucket_view": draw.random() < 0.5,
            "lazy_bucket_allocation": draw.random() < 0.5,
            "bucket_cap_mb": draw.choice([None, 1e-5, 1e-4]),
            "find_unused_parameters": self.mode in ("unused", "skipped"),
            "skip_all_reduce_unused_params": self.mode == "skipped",
            "static_graph": self.mode == "static",
        }
        self.fixed = [self._some(1) for _ in range(size)]

    def _some(self, least):
        return sorted(self.draw.sample(range(self.layers), self.draw.randint(least, self.layers)))

    def passes(self):
        """How many under no_sync come before the one that reduces."""
        return [False] * self.draw.randint(0, 2) + [True]

    def uses(self):
        """For each rank the layers that its loss depends on, and those that its forward pass computes."""
        everything = list(range(self.layers))
        if self.mode == "plain":
            return [(everything, everything)] * self.size
        if self.mode == "static":
            return [(use, use) for use in self.fixed]
        same = self._some(1)
        losses = [same if self.mode == "skipped" else self._some(0) for _ in range(self.size)]
        return [(use, everything if use and self.draw.random() < 0.3 else use) for use in losses]

    def data(self, rank, step):
        seed = 100 * self.number + 10 * step + rank
        return ow.randn(2, 3, generator=ow.Generator().manual_seed(seed)).requires_grad_()


def loss(model, x, use, computed):
    outputs = model(x, computed)
    return sum(outputs[computed.index(i)] for i in use) if use else outputs[0]


class Expected:
    """The gradients of every rank."""

    def __init__(self, model, size):
        self.model = model
        self.parameters = list(model.parameters())
        self.grads = [[None] * len(self.parameters) for _ in range(size)]
        self.used = [False] * len(self.parameters)

    def clear(self, to_none):
        for mine in self.grads:
            mine[:] = [None if to_none or g is None else g * 0 for g in mine]

    def add(self, rank, value):
        self.model.zero_grad()
        value.backward()
        mine = self.grads[rank]
        for i, p in enumerate(self.parameters):
            if p.grad is not None:
                mine[i] = p.grad.clone() if mine[i] is None else mine[i] + p.grad
                self.used[i] = True

    def reduce(self, size):
        for i, p in enumerate(self.parameters):
            if self.used[i]:
                total = sum(
                    (mine[i] for mine in self.grads if mine[i] is not None), ow.zeros_like(p)
                )
                for mine in self.grads:
                    mine[i] = total / size
        self.used = [False] * len(self.parameters)

    def differs(self, rank, parameters):
        for wanted, p in zip(self.grads[rank], parameters, strict=True):
            if (wanted is None) != (p.grad is None):
                return True
            if wanted is not None and not ow.allclose(wanted, p.grad, rtol=1e-4, atol=1e-5):
                return True
        return False


def follow(plan, rank):
    """Whether a plan's gradients differ after some step: that step."""
    ow.manual_seed(plan.number)
    net, single = Net(plan.layers, plan.width), Net(plan.layers, plan.width)
    single.load_state_dict(net.state_dict())
    model = nn.parallel.DistributedDataParallel(net, **plan.options)
    expected = Expected(single, plan.size)
    for step in range(STEPS):
        if (how := plan.draw.choice(["none", "zeros", "kept"])) != "kept":
            model.zero_grad(set_to_none=how == "none")
            expected.clear(how == "none")
        for reduces in plan.passes():
            uses = plan.uses()
            for other, (use, _) in enumerate(uses):
                expected.add(other, loss(single, plan.data(other, step), use, use))
            model.require_backward_grad_sync = reduces
            loss(model, plan.data(rank, step), *uses[rank]).backward()
            if reduces:
                expected.reduce(plan.size)
        if expected.differs(rank, net.parameters()):
            return step
    return None


def plans(dist, rank, size, first):
    wrong = []
    for number in range(first, first + CASES):
        plan = Plan(number, size)
        step = follow(plan, rank)
        if step is not None:
            wrong.append([number, step, plan.mode, plan.options])
    return wrong


@pytest.mark.parametrize(("size", "first"), [(2, 0), (3, 1000)])
def test_plans(tmp_path, size, first):
    assert run(plans, size, tmp_path, first=first) == [[]] * size
