"""Data-parallel training on devices: which one inputs are moved to, and models on several."""

import opweave as ow
import pytest
from heap import serve
from opweave import nn
from support.ranks import run


class Spread(nn.Module):
    """A layer on each of two devices."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4).to("heap_target:0")
        self.second = nn.Linear(4, 2).to("heap_target:1")

    def forward(self, x):
        return self.second(self.first(x).to("heap_target:1"))


def mine(rank):
    return ow.randn(2, 3, generator=ow.Generator().manual_seed(rank))


def host_gradients(model):
    return [p.grad.cpu().flatten().tolist() for p in model.parameters()]


def one_device(dist, rank, size, given):
    serve()
    ow.manual_seed(rank)
    device = {"number": 1, "name": "heap_target:1", "device": ow.device("heap_target:1")}[given]
    net = nn.Linear(3, 2).to("heap_target:1")
    model = nn.parallel.DistributedDataParallel(net, device_ids=[device])
    for _ in range(2):
        model.zero_grad()
        model(mine(rank)).sum().backward()
    return [host_gradients(model), model.device_ids, model.output_device, str(model.device)]


@pytest.mark.parametrize("given", ["number", "name", "device"])
def test_inputs_are_moved_to_the_device(tmp_path, given):
    first, second = run(one_device, 2, tmp_path, backend="gloo", given=given)
    assert first == second
    ow.manual_seed(0)
    net = nn.Linear(3, 2)
    for rank in range(2):
        (net(mine(rank)).sum() / 2).backward()
    for found, p in zip(first[0], net.parameters(), strict=True):
        assert found == pytest.approx(p.grad.flatten().tolist(), rel=1e-5, abs=1e-6)
    assert first[1:] == [[1], 1, "heap_target:1"]


def several_devices(dist, rank, size):
    serve()
    ow.manual_seed(rank)
    model = nn.parallel.DistributedDataParallel(Spread())
    for _ in range(2):
        model.zero_grad()
        model(mine(rank).to("heap_target:0")).sum().backward()
    refused = []
    for make in (
        lambda: nn.parallel.DistributedDataParallel(Spread(), device_ids=[0]),
        lambda: nn.parallel.DistributedDataParallel(nn.Sequential(Spread(), nn.Linear(2, 2))),
        lambda: nn.parallel.DistributedDataParallel(Spread().first, device_ids=["cpu"]),
    ):
        with pytest.raises(ValueError, match=r"device|on the same type of") as caught:
            make()
        refused.append(str(caught.value))
    return [host_gradients(model), len(model.statistics()["buckets"]), refused]


def test_a_model_on_several_devices(tmp_path):
    first, second = run(several_devices, 2, tmp_path, backend="gloo")
    assert first == second
    assert first[1] == 2
    assert "only work with single-device" in first[2][0]
    assert (
        "must be on the same type of devices, but input module parameters locate in {"
        in first[2][1]
    )
    assert (
        first[2][2] == "device_ids: expected a device of type heap_target, as the module's, got cpu"
    )
