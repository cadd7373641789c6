"""The files of PyTorch's optimizers, run as modules of a program, take the steps of Opweave's."""

import os
import pwd
from pathlib import Path

import pytest
from support.programs import run

HOME = Path(pwd.getpwuid(os.getuid()).pw_dir)
FOLDERS = sorted(HOME.glob(".cache/opweave/pytorch/lib/python3*/site-packages/torch/optim"))
pytestmark = pytest.mark.skipif(not FOLDERS, reason="there is no environment with PyTorch")

PROGRAM = """
import sys
import types
import warnings
from pathlib import Path

import torch

warnings.simplefilter("ignore")
FILES = "adadelta adagrad adam adamax adamw asgd nadam radam rmsprop rprop sgd _adafactor _muon"
FUSED = {"fused": True}
WAYS = [{}, {"foreach": True}, {"foreach": False}, FUSED, {"maximize": True, "weight_decay": 0.1}]
MORE = {"SGD": [{"momentum": 0.9, "nesterov": True, **FUSED}], "Adam": [{"amsgrad": True, **FUSED}]}

def copied(name):
    path = Path(sys.argv[1], f"{name}.py")
    module = types.ModuleType(f"copied_{name}")
    module.__package__ = "torch.optim"
    sys.modules[module.__name__] = module
    exec(compile(path.read_text(), path, "exec"), module.__dict__)
    return [
        kind for kind in vars(module).values() if isinstance(kind, type)
        and issubclass(kind, torch.optim.Optimizer) and kind.__module__ == module.__name__
    ]

def weights(kind, way):
    torch.manual_seed(3)
    drawn = [torch.nn.Parameter(torch.randn(size, dtype=torch.float64)) for size in ((4, 3), (2, 5))]
    optimizer = kind(drawn, lr=0.01, **way)
    for _ in range(4):
        for x in drawn:
            x.grad = torch.randn(x.shape, dtype=torch.float64)
        optimizer.step()
    return drawn

for name in FILES.split():
    for kind in copied(name):
        own, same = getattr(torch.optim, kind.__name__), 0
        for way in WAYS + MORE.get(kind.__name__, []):
            taken = set(own.__init__.__code__.co_varnames) & set(kind.__init__.__code__.co_varnames)
            if taken >= set(way):
                for x, y in zip(weights(kind, way), weights(own, way), strict=True):
                    assert torch.allclose(x, y, 1e-6, 1e-8), (kind, way)  # counts of float32
                same += 1
        print(kind.__name__, same)
"""


def test_copies_step_as_ours_do(tmp_path):
    said, errors = run(tmp_path, PROGRAM, arguments=[str(FOLDERS[-1])])
    found = dict(line.split() for line in said.splitlines())
    assert not errors, errors
    assert len(found) == 13, said
    assert all(int(found[name]) > 1 for name in found if name != "Muon"), said
    assert [found[name] for name in ("SGD", "Adam", "Adagrad")] == ["6", "6", "5"], said


NAMES = """
import torch
from torch.optim.adagrad import _make_sparse
from torch.optim.optimizer import DeviceDict, StateDict, TensorListList, _functional_api_doc
from torch.distributions.utils import euler_constant
from torch.nn.utils.clip_grad import _clip_grads_with_norm_
from torch.nn.utils.stateless import NamedMemberAccessor
from torch._prims_common import DeviceLikeType
from torch.utils._typing_utils import not_none

print("Mine" in _functional_api_doc.format(optimizer="Mine"), euler_constant, not_none(0))
try:
    not_none(None)
except TypeError as error:
    print(error)
net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
members = NamedMemberAccessor(net)
one = torch.ones(2)
before, missing = members.swap_tensors_dict({"0.bias": one, "1.extra": one}, allow_missing=True)
print(net[0].bias is one, net[1].extra is one, missing, list(net.state_dict())[:2])
members.swap_tensors_dict(before, allow_missing=True)
print(type(net[0].bias).__name__, hasattr(net[1], "extra"), members.check_keys(["0.bias", "x"])[1])
try:
    members.swap_tensors_dict({"0.bias": one, "1.extra": one})
except RuntimeError as error:
    print(error, net[0].bias is one)
members.del_tensor("0.bias")
print(members.get_tensor("1.running_mean").tolist(), "0.bias" in net.state_dict())
swapped = members.swap_submodule("1", torch.nn.ReLU())
print(type(swapped).__name__, net[1], members.get_submodule("1"))
x = torch.nn.Parameter(torch.ones(3))
x.grad = torch.full((3,), 2.0)
_clip_grads_with_norm_([x], 1.0, torch.tensor(4.0))
print(x.grad.tolist()[0] < 0.51)
scaled = [torch.ones(3)]
numbers = dict(weight_decay=0, momentum=0, dampening=0, nesterov=False, maximize=False, is_first_step=True)
fours = [torch.full((3,), 4.0)]
torch._fused_sgd_(scaled, fours, [], lr=torch.tensor(0.5), grad_scale=torch.tensor(2.0), **numbers)
torch._fused_sgd_(scaled, fours, [], lr=0.5, found_inf=torch.ones(()), **numbers)
print(scaled[0].tolist())
try:
    _make_sparse(one, one, one)
except AttributeError as error:
    print("Opweave lacks it" in str(error))
"""


def test_names_of_which_copies_are_made(tmp_path):
    said, errors = run(tmp_path, NAMES)
    assert said.splitlines() == [
        "True 0.5772156649015329 0",
        "not_none(): expected a value, got None",
        "True True ['1.extra'] ['0.weight', '0.bias']",
        "Parameter False ['x']",
        "Missing key(s): '1.extra'. False",
        "[0.0, 0.0] False",
        "BatchNorm1d ReLU() ReLU()",
        "True",
        "[0.0, 0.0, 0.0]",
        "True",
    ], errors
