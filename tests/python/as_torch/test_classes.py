"""What classes say that they are under as_torch, and private names of PyTorch's that libraries import."""

import pathlib

import opweave.as_torch._lacking as lacking
from support.programs import run

PRINTED = {
    "type(torch.ones(1))": "torch.Tensor",
    "torch.Size": "torch.Size",
    "type(torch.float32)": "torch.dtype",
    "torch.device": "torch.device",
    "type(torch.nn.Linear(1, 1))": "torch.nn.modules.linear.Linear",
    "torch.nn.MaxPool3d": "torch.nn.modules.pooling.MaxPool3d",
    "torch.nn.BatchNorm2d": "torch.nn.modules.batchnorm.BatchNorm2d",
    "torch.nn.Parameter": "torch.nn.parameter.Parameter",
    "torch.optim.AdamW": "torch.optim.adamw.AdamW",
    "torch.optim.lr_scheduler.StepLR": "torch.optim.lr_scheduler.StepLR",
    "torch.utils.data.DataLoader": "torch.utils.data.dataloader.DataLoader",
    "torch.autograd.Function": "torch.autograd.function.Function",
    "torch.finfo": "torch.finfo",
    "torch.no_grad": "torch.autograd.grad_mode.no_grad",
}


def test_classes_print_as_pytorchs(tmp_path):
    lines = "\n".join(f"print({expression})" for expression in PRINTED)
    said, errors = run(tmp_path, f"import torch\n{lines}")
    assert said.splitlines() == [f"<class '{name}'>" for name in PRINTED.values()], errors


def test_every_class_is_found_by_the_name_that_it_prints(tmp_path):
    program = """
import importlib, pickle, sys, warnings
import torch, torch.nn, torch.optim.swa_utils, torch.utils.data, torch.distributed, torch.overrides
import torch.utils.checkpoint, torch.nn.utils.prune, torch.profiler, torch.testing, torch.amp

seen = 0
for name, module in sorted(sys.modules.items()):
    if not name.startswith("opweave") or any(p.startswith("_") for p in name.split(".")):
        continue
    for key, value in list(vars(module).items()):
        ours = isinstance(value, type) and str(value.__module__).startswith(("torch", "opweave"))
        if ours and key == value.__qualname__ and not key.startswith("_"):
            assert value.__module__.startswith("torch"), value
            try:
                assert pickle.loads(pickle.dumps(value)) is value
            except Exception as error:
                print(value, error)
            seen += 1
print(seen > 300)
"""
    said, errors = run(tmp_path, program)
    assert said == "True\n", errors


def test_another_process_finds_them(tmp_path):
    program = """
import pickle, subprocess, sys, torch

kinds = [torch.nn.MaxPool3d, torch.nn.MultiheadAttention(4, 2).out_proj.__class__, torch.Tensor, torch.Size,
         torch.optim.swa_utils.AveragedModel, torch.nn.LPPool2d, torch.finfo, torch.nn.Unfold]
code = "import pickle, sys; print([k.__name__ for k in pickle.load(sys.stdin.buffer)])"
subprocess.run([sys.executable, "-c", code], input=pickle.dumps(kinds), check=True)
"""
    said, errors = run(tmp_path, program)
    assert said == (
        "['MaxPool3d', 'NonDynamicallyQuantizableLinear', 'Tensor', 'Size', 'AveragedModel', 'LPPool2d', "
        "'finfo', 'Unfold']\n"
    ), errors


def test_names_elsewhere_are_what_they_stand_for(tmp_path):
    text = (pathlib.Path(lacking.__file__).parent / "names_elsewhere.txt").read_text()
    names = [line.partition("=")[0] for line in text.splitlines()[1:]]
    program = f"""
import importlib, torch
for full in {names!r}:
    module, _, name = full.rpartition(".")
    assert getattr(importlib.import_module(module), name) is not None, full
from torch.nn.modules.conv import _ConvNd
from torch.nn.modules.utils import _ntuple, _pair, _single, _triple
from torch.nn.functional import _pair as same
from torch.nn.init import _no_grad_trunc_normal_
from torch.utils._foreach_utils import _group_tensors_by_device_and_dtype
from torch._utils import _flatten_dense_tensors, _unflatten_dense_tensors
from torch.nn.functional import _Reduction
assert same is _pair and _pair(3) == (3, 3) and _triple([1, 2]) == (1, 2)
print(_Reduction.get_enum("mean"), len({names!r}))
"""
    said, errors = run(tmp_path, program)
    assert said == f"1 {len(names)}\n", errors


def test_old_programs_make_variables(tmp_path):
    program = """
import torch, warnings
from torch.autograd import Variable
x = Variable(torch.FloatTensor([1, 2]), requires_grad=True)
(x * x).sum().backward()
print(x.grad, type(x), isinstance(torch.ones(1), Variable), issubclass(torch.Tensor, Variable))
kept = torch.ones(2, requires_grad=True) * 2
cut = Variable(kept)
cut[0] = 5.0
print(cut.requires_grad, kept.data[0], Variable(torch.tensor([1])).dtype, Variable().shape)
print(type(Variable(torch.nn.Parameter(torch.ones(1)))), Variable(torch.ones(1), True).requires_grad)
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    Variable(torch.ones(1), volatile=True)
print(said[0].message)
for wrong in (3, [1.0]):
    try:
        Variable(wrong)
    except TypeError as error:
        print(error)
try:
    Variable(torch.tensor([1]), requires_grad=True)
except RuntimeError as error:
    print(error)
"""
    said, errors = run(tmp_path, program)
    assert said.splitlines() == [
        "tensor([2., 4.]) <class 'torch.Tensor'> True False",
        "False tensor(5.) torch.int64 torch.Size([0])",
        "<class 'torch.Tensor'> True",
        "volatile was removed and now has no effect. Use `with torch.no_grad():` instead.",
        "Variable data has to be a tensor, but got int",
        "Variable data has to be a tensor, but got list",
        "only Tensors of floating point dtype can require gradients",
    ], errors
