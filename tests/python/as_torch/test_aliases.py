"""Names that PyTorch's modules have from one another (opweave/as_torch/pytorch_aliases.txt), and the search
for names that are lacking."""

import importlib.util

from support.programs import run

PROGRAM = """
import torch
import torch.nn as nn
from torch.autograd.gradcheck import gradcheck
from torch.autograd.grad_mode import no_grad
from torch.distributed.distributed_c10d import ProcessGroup, all_reduce
from torch.functional import broadcast_shapes, meshgrid
from torch.nn.modules.batchnorm import Module
from torch.nn.modules.loss import CTCLoss, Tensor
from torch.nn.parallel.data_parallel import DataParallel
from torch.nn.utils.convert_parameters import parameters_to_vector
from torch.nn.utils.weight_norm import remove_weight_norm
from torch.optim.sgd import SGD, Optimizer
from torch.profiler.profiler import profile, schedule

print(
    no_grad is torch.no_grad, meshgrid is torch.meshgrid, Module is nn.Module, CTCLoss is nn.CTCLoss,
    Tensor is torch.Tensor, DataParallel is nn.DataParallel, Optimizer is torch.optim.Optimizer,
    profile is torch.profiler.profile, ProcessGroup is torch.distributed.ProcessGroup,
    parameters_to_vector is nn.utils.parameters_to_vector,
)
print(torch.autograd.grad_mode.enable_grad is torch.enable_grad)  # without an import
# Modules that are called like a function beside them are called as it is.
print(torch.autograd.gradcheck(torch.sin, torch.ones(2, dtype=torch.float64, requires_grad=True)))
nn.utils.weight_norm(nn.Linear(2, 2))
print(torch.autograd.gradcheck.__name__, nn.utils.weight_norm.__name__)

for name in ("torch.package", "torch.monitor", "torch.nn.cpp"):
    try:
        __import__(name)
    except ModuleNotFoundError as error:
        print(error)
absent = ((torch.autograd.grad_mode, "enforce_grad_layout_policy"), (torch.functional, "overload"))
for module, name in absent:
    try:
        getattr(module, name)
    except AttributeError as error:
        print(error)
    print(hasattr(module, name))
print("Optimizer" in dir(torch.optim.sgd))
"""


def test_names_are_those_of_other_modules(tmp_path):
    said, errors = run(tmp_path, PROGRAM)
    lines = said.splitlines()
    assert lines[0] == " ".join(["True"] * 10), errors
    assert lines[1:4] == ["True", "True", "opweave.autograd.gradcheck opweave.nn.utils.weight_norm"]
    assert [line.partition(":")[0] for line in lines[4:7]] == [
        f"No module named 'torch.{name}'" for name in ("package", "monitor", "nn.cpp")
    ]
    lacking = "PyTorch has it, Opweave lacks it"
    assert f"'enforce_grad_layout_policy' ({lacking})" in lines[7]
    assert f"'overload' ({lacking})" in lines[9]
    assert (lines[8], lines[10], lines[11]) == ("False", "False", "True")


SEARCH = """
import importlib.util

spec = importlib.util.spec_from_file_location("lacking_names", {path!r})
search = importlib.util.module_from_spec(spec)
spec.loader.exec_module(search)
found = search.lacking(False, [])
total = sum(len(names) for names, _, _ in found.values())
print(total, sum(count for _, _, count in found.values()))
for name in ("functional", "optim", "optim.lr_scheduler", "foreach", "nn.init"):
    module = "torch." + name
    print(module, *found[module][0])
"""


def test_how_many_names_are_lacking(tmp_path):
    """Of what the search counts; a name that goes is noticed here."""
    path = importlib.util.find_spec("reference.lacking_names").origin
    said, errors = run(tmp_path, SEARCH.format(path=path))
    counts, *modules = said.splitlines()
    total, of = map(int, counts.split())
    assert of > 3500, errors
    assert total <= 620
    assert modules == [
        "torch.functional overload",
        "torch.optim",
        "torch.optim.lr_scheduler",
        "torch.foreach",
        "torch.nn.init",
    ]
