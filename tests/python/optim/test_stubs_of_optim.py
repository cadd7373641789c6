"""The types of opweave.optim: the names and arguments of the running modules, and a program for mypy."""

import ast
import importlib
import inspect
import os
import pwd
import shutil
import subprocess
from pathlib import Path

import opweave
import pytest

PACKAGE = Path(opweave.__file__).parent
TOOLS = Path(pwd.getpwuid(os.getuid()).pw_dir) / ".cache/opweave/tools/bin"
MODULES = ["optimizer", "sgd", "adam", "adadelta", "adagrad", "adamax", "asgd", "lbfgs", "nadam"]
MODULES += ["radam", "rmsprop", "rprop", "_adafactor", "_muon", "swa_utils", "lr_scheduler"]


def _stub(name):
    folder = PACKAGE / "optim" / name
    path = folder / "__init__.pyi" if folder.is_dir() else folder.with_suffix(".pyi")
    nodes = ast.parse(path.read_text()).body
    return {n.name: n for n in nodes if isinstance(n, (ast.ClassDef, ast.FunctionDef))}


def _public(module):
    """What of the module is its own, or is in its __all__."""
    named = getattr(module, "__all__", ())
    return {
        name
        for name, value in vars(module).items()
        if name in named
        or (callable(value) and value.__module__ == module.__name__ and not name.startswith("_"))
    }


@pytest.mark.parametrize("name", MODULES)
def test_stubs_have_the_names_of_the_module(name):
    module = importlib.import_module(f"opweave.optim.{name}")
    assert {n for n in _stub(name) if not n.startswith("_")} == _public(module)


def test_the_stub_of_the_package_has_its_names():
    tree = ast.parse((PACKAGE / "optim" / "__init__.pyi").read_text())
    names = {a.asname for n in tree.body if isinstance(n, ast.ImportFrom) for a in n.names}
    kept = {"functional", "lr_scheduler", "swa_utils"}  # modules that are names of the package
    running = {
        n
        for n, value in vars(opweave.optim).items()
        if not n.startswith("_") and (n in kept or not inspect.ismodule(value))
    }
    assert names == running


def _functions():
    for name in MODULES:
        module = importlib.import_module(f"opweave.optim.{name}")
        for node in _stub(name).values():
            if isinstance(node, ast.FunctionDef):
                yield f"{name}.{node.name}", node, getattr(module, node.name)
                continue
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and not inner.decorator_list:
                    method = getattr(getattr(module, node.name), inner.name)
                    yield f"{name}.{node.name}.{inner.name}", inner, method


def _default(node):
    return ... if node is None else ast.literal_eval(node)


def _arguments(node):
    """(name, default) of each argument of a stub; a default that the stub leaves out is an ellipsis."""
    a = node.args
    plain = [*a.posonlyargs, *a.args]
    defaults = [inspect.Parameter.empty] * (len(plain) - len(a.defaults))
    defaults += [_default(d) for d in a.defaults]
    pairs = list(zip((p.arg for p in plain), defaults, strict=True))
    keywords = zip((p.arg for p in a.kwonlyargs), map(_default, a.kw_defaults), strict=True)
    return pairs + list(keywords)


@pytest.mark.parametrize(("node", "running"), [pytest.param(*f[1:], id=f[0]) for f in _functions()])
def test_stubs_have_the_arguments_of_the_function(node, running):
    parameters = inspect.signature(running).parameters.values()
    stars = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    real = [(p.name, p.default) for p in parameters if p.kind not in stars]
    stub = _arguments(node)
    assert [name for name, _ in stub] == [name for name, _ in real]
    assert [d for _, d in stub if d is not ...] == [
        d for (_, d), (_, said) in zip(real, stub, strict=True) if said is not ...
    ]


PROGRAM = """
import opweave as ow
from opweave.optim import SGD, Optimizer
from opweave.optim.lr_scheduler import CosineAnnealingLR, LRScheduler, ReduceLROnPlateau, SequentialLR
from opweave.optim.swa_utils import SWALR, get_ema_multi_avg_fn, update_bn

def train(optimizer: Optimizer, parts: list[LRScheduler]) -> list[float]:
    scheduler = SequentialLR(optimizer, parts, milestones=[5])
    plateau = ReduceLROnPlateau(optimizer, "max", patience=3)
    optimizer.step()
    scheduler.step()
    plateau.step(ow.ones(1))
    return [float(rate) for rate in scheduler.get_last_lr()]

optimizer = ow.optim.AdamW([ow.ones(2)], lr=ow.tensor(0.1), betas=(0.9, 0.99))
train(SGD([{"params": [ow.ones(2)]}], lr=0.1), [CosineAnnealingLR(optimizer, T_max=3)])
ow.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.9**epoch)
SWALR(optimizer, swa_lr=0.05, anneal_strategy="linear")
get_ema_multi_avg_fn(0.9)([ow.ones(2)], [ow.ones(2)], 1)
"""
WRONG = """
ow.optim.lr_scheduler.StepLR(optimizer, step_size="5")
ow.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, anneal_strategy="cosine")
SWALR(optimizer)
update_bn([], 3)
"""


def test_mypy_knows_schedulers(tmp_path):
    mypy = shutil.which("mypy", path=f"{TOOLS}:{os.environ['PATH']}")
    if mypy is None:
        pytest.skip("mypy is not installed (./dev setup installs it)")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM + WRONG)
    run = subprocess.run(
        [mypy, "--strict", "--python-version", "3.11", "--follow-imports", "silent",
         "--cache-dir", os.devnull, "--no-error-summary", program.name],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "MYPYPATH": str(PACKAGE.parent)},
    )  # fmt: skip
    first = len(PROGRAM.splitlines()) + 2  # an empty line before what is wrong
    found = [line.split(":")[:2] for line in run.stdout.splitlines() if ": error:" in line]
    assert found == [["program.py", str(first + i)] for i in range(4)], run.stdout
