"""A Python that has PyTorch, and extensions that are generated for it."""

import os
import pwd
import subprocess
from pathlib import Path

import pytest

Done = subprocess.CompletedProcess[str]
HOME = Path(pwd.getpwuid(os.getuid()).pw_dir)
GENERATOR = Path("codegen/cli/opweave").resolve()
CHECKOUT = Path("pyproject.toml").resolve().parent
HERE = Path("examples/torch_library").resolve()
CORE = Path("ops.yaml").resolve()


def python_with_torch() -> Path:
    """A command; skips where there is none, and says where it was looked for."""
    folder = Path(os.environ.get("OPWEAVE_PYTORCH", HOME / ".cache/opweave/pytorch"))
    python = folder / "python"
    if not python.exists():
        pytest.skip(f"no PyTorch: {python} is not there; benchmarks/make_env makes it")
    missing = subprocess.run(
        [python, "-c", "import torch, pytest, setuptools"], capture_output=True, text=True
    )
    if missing.returncode:
        pytest.skip(
            f"{python} cannot import all that is needed: {missing.stderr.strip().splitlines()[-1]}"
        )
    return python


def generate(
    out: Path, *more: str | Path, ops: Path = HERE / "ops.yaml", library: str = "my_ops"
) -> Done:
    """Writes the extension of a file of operators, whose gradients are those of this folder."""
    derivatives = ops.parent / "derivatives.yaml"
    if not derivatives.exists():
        derivatives = HERE / "derivatives.yaml"
    files: list[str | Path] = ["--ops", ops, "--import-ops", CORE, "--derivatives", derivatives]
    command: list[str | Path] = [
        GENERATOR,
        "gen",
        "--emit=torch",
        "--library",
        library,
        "--out",
        out,
    ]
    return subprocess.run([*command, *files, *more], capture_output=True, text=True)


def build(out: Path, **more: str) -> Done:
    """Compiles an extension where it lies."""
    return subprocess.run(
        [python_with_torch(), "setup.py", "build_ext", "--inplace"],
        cwd=out,
        env={**os.environ, **more},
        capture_output=True,
        text=True,
    )


def run_in(package: Path, *command: str | Path, **more: str) -> Done:
    # Without what the tests of the checkout are run with: there warnings, of PyTorch too, are errors.
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(HOME),
        "PYTHONPATH": str(package),
        **more,
    }
    return subprocess.run(
        [python_with_torch(), *command],
        cwd=package,
        env=environment,
        capture_output=True,
        text=True,
    )
