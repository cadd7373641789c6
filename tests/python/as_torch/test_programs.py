"""Programs written for PyTorch, run by python -m opweave.as_torch."""

import subprocess
import sys

import opweave
import pytest
from support.programs import ENVIRONMENT, run


def test_every_import_of_torch_is_opweave(tmp_path):
    program = """
import sys
import torch, torch.nn as nn, torch.nn.functional as F
from torch import nn as again, optim
from torch.nn import Linear
from torch.autograd import Variable
import torch.utils.data
assert torch.__spec__.name == "opweave" and nn.__spec__.name == "opweave.nn", "modules keep their own specs"
assert again is nn and torch.nn.functional is F
print(sys.argv[1:], __name__, __file__ == sys.argv[0])
print(tuple(Linear(2, 3)(torch.ones(1, 2)).shape), F.relu(torch.tensor(-1.0)))
"""
    said, errors = run(tmp_path, program, arguments=("a", "--report", "-m", "b"))
    assert said == ("['a', '--report', '-m', 'b'] __main__ True\n(1, 3) tensor(0.)\n"), errors


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (
            "torch.quantil",
            "AttributeError: module 'torch' has no attribute 'quantil' (nor has PyTorch",
        ),
        ("torch.set_vital", "has no attribute 'set_vital' (PyTorch has it, Opweave lacks it)"),
        ("torch.nn.functional.grad", "no attribute 'grad' (PyTorch has it, Opweave lacks it)"),
        ("torch.nn.Linea", "the nearest name is 'Linear'"),
        (
            "torch.monitor",
            "AttributeError: module 'torch' has no attribute 'monitor' (PyTorch has it, Opweave",
        ),
        (
            "from torch import monitor",
            "ImportError: module 'torch' has no attribute 'monitor' (PyTorch has it",
        ),
        (
            "import torch.monitor",
            "ModuleNotFoundError: No module named 'torch.monitor': module 'torch' has no",
        ),
        (
            "torch.ones(1).to_mkldnn",
            "AttributeError: 'Tensor' object has no attribute 'to_mkldnn' (Py",
        ),
    ],
)
def test_a_name_that_is_lacking_says_so(tmp_path, code, error):
    assert error in run(tmp_path, f"import torch\n{code}")[1]


def test_the_report_lists_what_was_asked_and_is_lacking(tmp_path):
    program = """
import torch
hasattr(torch, "monitor"), hasattr(torch, "monitor"), hasattr(torch, "never_heard_of"), hasattr(torch, "ones")
from torch.utils import data
"""
    errors = run(tmp_path, program, "--report")[1]
    assert errors.splitlines() == [
        "opweave.as_torch: asked for and lacking (1)",
        f"  torch.monitor: 2x, first at {tmp_path / 'program.py'}:3",
    ]
    errors = run(tmp_path, "import torch", "--report")[1]
    assert errors == "opweave.as_torch: nothing that was asked for is lacking\n"


def test_processes_that_a_program_starts_get_opweave_as_well(tmp_path):
    program = """
import multiprocessing, subprocess, sys
import torch

def total(x):
    import torch.nn
    return torch.__version__, x.sum().item()

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(total, [torch.ones(3)])[0] == (torch.__version__, 3.0), flush=True)
    command = "import sys; assert 'opweave' not in sys.modules; import torch; print(torch.__spec__.name)"
    subprocess.run([sys.executable, "-c", command], check=True)
"""
    said, errors = run(tmp_path, program)
    assert said == "True\nopweave\n", errors


def test_a_sitecustomize_of_the_user_runs_in_children(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("print('own')")
    program = f"""
import os, subprocess, sys
os.environ["PYTHONPATH"] = os.environ["PYTHONPATH"].replace(os.pathsep, os.pathsep + {f"{tmp_path}:"!r}, 1)
subprocess.run([sys.executable, "-c", "import torch; print(torch.nn.__spec__.name)"], check=True)
"""
    said, errors = run(tmp_path, program)
    assert said == "own\nopweave.nn\n", errors


def test_a_module_is_run_by_its_name(tmp_path):
    (tmp_path / "tool.py").write_text("import sys, torch\nprint(__name__, sys.argv[1:], torch.e)")
    command = [sys.executable, "-m", "opweave.as_torch", "-m", "tool", "-x", "--report"]
    done = subprocess.run(
        command, capture_output=True, text=True, env=ENVIRONMENT, cwd=tmp_path, check=False
    )
    assert done.stdout == "__main__ ['-x', '--report'] 2.718281828459045\n", done.stderr


def test_pickled_names_of_torch_are_found(tmp_path):
    program = """
import pickle, torch
print(pickle.loads(b"ctorch.nn.modules.linear\\nLinear\\n.") is torch.nn.Linear)
print(torch.equal(pickle.loads(pickle.dumps(torch.ones(2))), torch.ones(2)))
"""
    said, errors = run(tmp_path, program)
    assert said == "True\nTrue\n", errors


def test_the_version_is_as_scripts_parse_it(tmp_path):
    program = """
import importlib.metadata, importlib.util, torch
from torch.torch_version import TorchVersion
print([int(n) for n in torch.__version__.split("+")[0].split(".")][:2] >= [2, 0])
print(torch.__version__ >= "2.9", torch.__version__ > (1, 13), torch.__version__ < "10")
print(importlib.metadata.version("torch") == torch.__version__, importlib.util.find_spec("torch") is not None)
print(torch.version.cuda, torch.version.hip, torch.version.debug)
"""
    said, errors = run(tmp_path, program)
    assert said.split() == ["True"] * 6 + ["None", "None", "False"], errors


def test_versions_compare_as_pytorchs():
    version = opweave.torch_version.TorchVersion("2.15.0+cpu")
    answers = [version == "2.15.0", version > "2.15.0", version == "2.15.0+cpu", version < "2.15.1"]
    answers += [version >= (1, 13), version > (2, 15), version == (2, 15), version >= [2, 9]]
    assert answers == [False, True, True, True, True, True, False, True]  # PyTorch 2.15's answers


def test_install_refuses_when_pytorch_is_there(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", sys)
    with pytest.raises(RuntimeError, match="'torch' is imported already"):
        opweave.as_torch.install()


# What PyTorch 2.15 prints.
NUMBERS = """[0.49625658988952637, 0.7682217955589294] [0.004263520240783691, 0.10556936264038086]
[1, 0, 3, 2] Linear -0.1135 1.2032
"""


def test_random_numbers_are_those_of_pytorchs_cpu_also_in_processes_that_a_program_starts(tmp_path):
    program = """
import multiprocessing, sys, torch

def draw():
    torch.manual_seed(0)
    own = torch.Generator().manual_seed(3)
    print(torch.rand(2).tolist(), torch.rand(2, generator=own).tolist())
    print(torch.randperm(4).tolist(), *layer(), flush=True)

def layer():
    made = torch.nn.Linear(3, 2)
    return type(made).__name__, round(made.bias[0].item(), 4), round(torch.randn(20)[-1].item(), 4)

if __name__ == "__main__":
    draw()
    process = multiprocessing.get_context("spawn").Process(target=draw)
    process.start(), process.join()
"""
    said, errors = run(tmp_path, program)
    assert said == NUMBERS * 2, errors


@pytest.mark.parametrize("kind", ["cuda", "cpu"])
def test_modules_below_targets_are_imported(tmp_path, kind):
    program = f"""
import torch.{kind}.amp
from torch.{kind}.amp import GradScaler, autocast
from torch.{kind}.amp.autocast_mode import autocast as old
from torch.{kind}.amp.grad_scaler import GradScaler as older
print(old is autocast, older is GradScaler, torch.{kind}.amp.autocast is autocast)
import torch.{kind}.none
"""
    said, errors = run(tmp_path, program)
    assert said == "True True True\n", errors
    assert (
        f"ModuleNotFoundError: No module named 'torch.{kind}.none': module 'torch.{kind}'" in errors
    )


def test_ways_of_attention_are_named(tmp_path):
    program = """
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
q = torch.ones(1, 1, 2, 2)
with sdpa_kernel([SDPBackend.MATH, SDPBackend.FLASH_ATTENTION]):
    print(torch.nn.functional.scaled_dot_product_attention(q, q, q).sum())
with sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION):
    print(torch.nn.attention._cur_sdpa_kernel_backends()[0].name)
try:
    with sdpa_kernel(3):
        pass
except AssertionError as error:
    print(error)
"""
    said, errors = run(tmp_path, program)
    wrong = "sdpa_kernel(): expected backends to be SDPBackend or a list of them, got 3"
    assert said.splitlines() == ["tensor(4.)", "EFFICIENT_ATTENTION", wrong], errors
