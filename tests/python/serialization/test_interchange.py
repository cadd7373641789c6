"""PyTorch reads what we save, where the environment of the benchmarks has one."""

import os
import pwd
import subprocess
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
