"""`mypy --strict` accepts every program of the examples, by the stubs of the package and of their
libraries."""

import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

import opweave
import pytest

PACKAGE = Path(opweave.__file__).parent
TOOLS = Path(pwd.getpwuid(os.getuid()).pw_dir) / ".cache/opweave/tools/bin"
FOLDERS = sorted({file.parent for file in Path("examples").glob("*/*.py")})
LIBRARIES = [Path("examples/moving_mean"), Path("examples/squareplus")]

PROGRAM = """\
from typing import Any

import opweave as ow
from opweave.autograd import Function, forward_ad, graph
from opweave.autograd.functional import hessian, jacobian
from opweave.profiler import ProfilerActivity, profile, record_function, schedule
from opweave.utils import benchmark
from opweave.utils.dlpack import from_dlpack, to_dlpack
from opweave.utils.flop_counter import FlopCounterMode

class Double(Function):
    @staticmethod
    def forward(ctx: Any, x: ow.Tensor) -> ow.Tensor:
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx: Any, *grads: ow.Tensor) -> ow.Tensor:
        return grads[0] * 2

x = ow.ones(3, requires_grad=True)
y: ow.Tensor = Double.apply(x)
(g,) = ow.autograd.grad(y.sum(), [x], retain_graph=True)
ow.autograd.backward([y.sum()])
with graph.saved_tensors_hooks(lambda t: t, lambda t: t), ow.autograd.detect_anomaly():
    z = x * x
jacobian(lambda t: t * t, x, vectorize=True), hessian(lambda t: (t * t).sum(), x)
ok: bool = ow.autograd.gradcheck(lambda t: t * t, (x.double(),))
with forward_ad.dual_level():
    tangent = forward_ad.unpack_dual(forward_ad.make_dual(x, x)).tangent
with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=1, warmup=1, active=1)) as p:
    with record_function("part"), FlopCounterMode(display=False) as counter:
        z = x * x
    p.step()
print(p.key_averages().table(sort_by="cpu_time_total", row_limit=5), counter.get_total_flops())
print(benchmark.Timer("x + x", globals={"x": x}).blocked_autorange(min_run_time=0.1).median)
w: ow.Tensor = from_dlpack(to_dlpack(x.detach()))
ow._foreach_mul_([w], 2.0)
v = ow.signal.windows.hann(4)
"""


def _mypy():
    mypy = shutil.which("mypy", path=f"{TOOLS}:{os.environ['PATH']}")
    if mypy is None:
        pytest.skip("mypy is not installed (./dev setup installs it)")
    # What the package itself is made of is not asked about.
    options = ["--strict", "--follow-imports=silent", "--explicit-package-bases"]
    return [mypy, *options, "--python-executable", sys.executable, "--cache-dir", os.devnull]


def _checked(folder, *files):
    path = os.pathsep.join(map(str, [PACKAGE.parent, folder, *LIBRARIES]))
    command = [*_mypy(), "--config-file", "pyproject.toml", *files]
    environment = os.environ | {"MYPYPATH": path}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_all_folders_are_looked_at():
    """Those without a Python program are no part of it."""
    assert [folder.name for folder in FOLDERS] == [
        *("digits", "distributed", "language_model", "moving_mean", "squareplus", "torch_library")
    ]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_mypy_accepts(folder):
    run = _checked(folder, *sorted(folder.glob("*.py")))
    assert run.returncode == 0, run.stdout + run.stderr


def test_mypy_sees_the_types_of_the_package(tmp_path):
    """A mistake in a call of each kind is found: what is Any everywhere would be accepted, too."""
    program = tmp_path / "program.py"
    program.write_text(
        "import squareplus_ops\n"
        "import opweave as ow\n"
        "from opweave import nn\n"
        "ow.tensor([1.0]).sum(dim='rows')\n"
        "nn.parallel.DistributedDataParallel(nn.Linear(2, 2), find_unused='yes')\n"
        "ow.func.vmap(ow.sin, in_dims='all')\n"
        "squareplus_ops.squareplus(ow.ones(2), b='four')\n"
    )
    run = _checked(tmp_path, program)
    lines = [int(line.split(":")[1]) for line in run.stdout.splitlines() if ": error:" in line]
    assert sorted(set(lines)) == [4, 5, 6, 7], run.stdout


def test_mypy_accepts_what_has_types_of_its_own(tmp_path):
    """Modules that no example uses."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    run = _checked(tmp_path, program)
    assert run.returncode == 0, run.stdout + run.stderr
