"""A Python that has PyTorch or JAX, and packages that are generated for it."""

import os
import pwd
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

Done = subprocess.CompletedProcess[str]
HOME = Path(pwd.getpwuid(os.getuid()).pw_dir)
GENERATOR = Path("codegen/cli/opweave").resolve()
CHECKOUT = Path("pyproject.toml").resolve().parent
HERE = Path("examples/torch_library").resolve()
CORE = Path("ops.yaml").resolve()


class Framework(NamedTuple):
    """What packages are made for."""

    title: str
    emit: str
    variable: str  # of the environment: the folder of the environment of Python
    python: str  # the command in that folder
    modules: str
    hint: str


TORCH = Framework(
    "PyTorch",
    "torch",
    "OPWEAVE_PYTORCH",
    "python",
    "torch, pytest, setuptools",
    "benchmarks/make_env makes it",
)
JAX = Framework(
    "JAX",
    "jax",
    "OPWEAVE_JAX",
    "bin/python",
    "jax, pytest, setuptools",
    "`python3 -m venv ~/.cache/opweave/jax && ~/.cache/opweave/jax/bin/pip install jax pytest setuptools` "
    "makes it",
)


def python_with(framework: Framework) -> Path:
    """A command; skips where there is none, and says where it was looked for."""
    default = HOME / ".cache/opweave" / framework.title.lower()
    python = Path(os.environ.get(framework.variable, default)) / framework.python
    if not python.exists():
        pytest.skip(f"no {framework.title}: {python} is not there; {framework.hint}")
    missing = subprocess.run(
        [python, "-c", f"import {framework.modules}"], capture_output=True, text=True
    )
    if missing.returncode:
        pytest.skip(
            f"{python} cannot import all that is needed: {missing.stderr.strip().splitlines()[-1]}"
        )
    return python


def python_with_torch() -> Path:
    return python_with(TORCH)


def python_with_jax() -> Path:
    return python_with(JAX)


def generate(
    out: Path,
    *more: str | Path,
    ops: Path = HERE / "ops.yaml",
    library: str = "my_ops",
    framework: Framework = TORCH,
) -> Done:
    """Writes the package of a file of operators, whose gradients are those of this folder."""
    derivatives = ops.parent / "derivatives.yaml"
    if not derivatives.exists():
        derivatives = HERE / "derivatives.yaml"
    files: list[str | Path] = ["--ops", ops, "--import-ops", CORE, "--derivatives", derivatives]
    command: list[str | Path] = [
        GENERATOR,
        "gen",
        f"--emit={framework.emit}",
        "--library",
        library,
        "--out",
        out,
    ]
    return subprocess.run([*command, *files, *more], capture_output=True, text=True)


def words_of_kinds(own: Path) -> list[str | Path]:
    """For `generate`: the kinds that every form has, those of other frameworks, and those of a folder."""
    kinds = own.parent.parent / "kinds"
    words: list[str | Path] = ["--ops", kinds / "more.yaml", "--ops", own / "ops.yaml"]
    words += ["--derivatives", kinds / "more_derivatives.yaml"]
    if (own / "derivatives.yaml").exists():
        words += ["--derivatives", own / "derivatives.yaml"]
    for kernels in (kinds / "kernels", kinds / "more_kernels", own / "kernels"):
        words += ["--kernels", kernels]
    return words


# Kernels for GPUs take nvcc minutes: those who test them say so.
WITHOUT_CUDA = {"OPWEAVE_TORCH_CUDA": "0"}


def build(out: Path, framework: Framework = TORCH, **more: str) -> Done:
    """Compiles a package where it lies, for the CPU."""
    return subprocess.run(
        [python_with(framework), "setup.py", "build_ext", "--inplace"],
        cwd=out,
        env={**os.environ, **WITHOUT_CUDA, **more},
        capture_output=True,
        text=True,
    )


def run_with(framework: Framework, package: Path, *command: str | Path, **more: str) -> Done:
    # Without what the tests of the checkout are run with: there warnings, of PyTorch too, are errors.
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(HOME),
        "PYTHONPATH": str(package),
        **WITHOUT_CUDA,
        **more,
    }
    return subprocess.run(
        [python_with(framework), *command],
        cwd=package,
        env=environment,
        capture_output=True,
        text=True,
    )


def run_in(package: Path, *command: str | Path, **more: str) -> Done:
    return run_with(TORCH, package, *command, **more)


# A setup.py as pip runs it where setuptools is older than its command for wheels.
WITHOUT_WHEELS = """
import sys, setuptools.errors

def no_command(self, name):
    raise setuptools.errors.ModuleError(f"invalid command {name!r}")

setuptools.Distribution.get_command_class = no_command
setuptools.__version__ = "65.5.0"
sys.argv = ["setup.py", "dist_info"]
exec(open("setup.py").read())
"""
