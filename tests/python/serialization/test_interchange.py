"""PyTorch reads what we save, where the environment of the benchmarks has one."""

import os
import pwd
import subprocess
import sys
from pathlib import Path

import opweave
import pytest
from reference import files

HOME = Path(pwd.getpwuid(os.getuid()).pw_dir)
PYTHON = HOME / ".cache/opweave/pytorch/bin/python3"
pytestmark = pytest.mark.skipif(not PYTHON.exists(), reason="there is no environment with PyTorch")

COMPARE = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import torch
from reference import files

def same(a, b):
    assert type(a) is type(b), (a, b)
    if isinstance(a, torch.Tensor):
        assert (a.dtype, a.shape, a.stride(), a.storage_offset()) == (
            b.dtype, b.shape, b.stride(), b.storage_offset())
        assert a.requires_grad == b.requires_grad and a.__dict__ == b.__dict__
        assert a.is_meta or torch.equal(a.double(), b.double())
    elif isinstance(a, dict):
        assert list(a) == list(b)
        for key in a: same(a[key], b[key])
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for x, y in zip(a, b): same(x, y)
    else:
        assert a == b

for path in sorted(Path(sys.argv[2]).iterdir()):
    expected = files.OBJECTS[path.stem](torch)
    if path.stem == "module":
        found = torch.load(path, weights_only=False).eval()
        x = torch.ones(2, 3)
        assert torch.equal(found(x), expected.eval()(x))
    elif path.stem == "training":
        found = torch.load(path)
        same(found["model"], expected["model"])
        same(found["optimizer"]["state"], expected["optimizer"]["state"])
        model = files._filled(torch)
        torch.optim.SGD(model.parameters(), lr=1.0).load_state_dict(found["optimizer"])
    else:
        for options in ({}, {"weights_only": False}, {"mmap": True}):
            same(torch.load(path, **options), expected)
    print(path.stem)
views = torch.load(Path(sys.argv[2]) / "views.pt")
assert len({t.untyped_storage().data_ptr() for t in views.values()}) == 1
"""


def test_pytorch_reads_what_we_save(tmp_path):
    for name, make in files.OBJECTS.items():
        opweave.save(make(opweave), tmp_path / f"{name}.pt")
    tests = Path(files.__file__).resolve().parent.parent
    command = [PYTHON, "-c", COMPARE, tests, tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.split() == sorted(files.OBJECTS)


# Modules with hooks, lists and functions that files name; what they give of ones.
MODULES = """
import sys, warnings
warnings.simplefilter("ignore")
from {package} import nn
import {package} as of
class Functional(nn.Linear):
    def __init__(self):
        super().__init__(2, 2)
        self.act = of.relu
    def forward(self, x):
        return self.act(super().forward(x))
nn.Functional = Functional
Functional.__module__, Functional.__qualname__ = nn.__name__, "Functional"
made = dict(
    act=Functional, lstm=lambda: nn.LSTM(2, 2, 2, bidirectional=True), lazy=lambda: nn.LazyLinear(2),
    lazy_norm=nn.LazyBatchNorm1d, norm=lambda: nn.utils.spectral_norm(nn.Linear(2, 2)),
    weight=lambda: nn.utils.weight_norm(nn.Linear(2, 2)), parametrized=lambda: nn.Sequential(nn.GRU(2, 2)),
    reflected=lambda: nn.ReflectionPad1d(1), repeated=lambda: nn.ReplicationPad1d(1),
    circular=lambda: nn.CircularPad1d(1), zeros=lambda: nn.ZeroPad1d(1),
    constant=lambda: nn.ConstantPad1d(1, 2.0),
    encoder=lambda: nn.Sequential(
        nn.Unflatten(0, (3, 1)),
        nn.TransformerEncoder(nn.TransformerEncoderLayer(2, 1, 4, batch_first=True), 1),
    ),
)
for name, make in made.items():
    path = sys.argv[2] + "/" + name
    if sys.argv[1] == "save":
        of.manual_seed(3)
        of.save(make(), path)
    module = of.load(path, weights_only=False)
    of.manual_seed(5)
    if "lazy" not in name:
        module.eval()
    found = module(of.ones(3, 2))
    found = found[0] if isinstance(found, tuple) else found
    # Those of a lazy one are drawn now.
    print(name, *found.shape, *[round(x, 4) for x in found.flatten().tolist() if "lazy" not in name])
"""


@pytest.mark.parametrize("writer", ["opweave", "torch"])
def test_whole_modules_are_read_by_both(tmp_path, writer):
    """With the same numbers, whoever has written them."""
    said = {}
    for do, package in (
        ("save", writer),
        ("load", {"opweave": "torch", "torch": "opweave"}[writer]),
    ):
        python = PYTHON if package == "torch" else sys.executable
        run = subprocess.run(
            [python, "-c", MODULES.replace("{package}", package), do, str(tmp_path)],
            env={"PATH": os.environ["PATH"]} if package == "torch" else None,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert run.returncode == 0, run.stderr
        said[do] = run.stdout
    assert said["load"] == said["save"]
