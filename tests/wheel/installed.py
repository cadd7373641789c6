"""A fresh environment with the wheel in it, and runs of programs there."""

import os
import shutil
import subprocess
from pathlib import Path

WHEEL = next(Path("tools/wheel").glob("opweave-*.whl")).resolve()
BUILD = ("-m", "opweave.build")
# What `venv` puts into every environment, for seconds each.
PIP = next(Path("/usr/share/python-wheels").glob("pip-*.whl"))
_ENTRY = """\
- func: {name}(Tensor self) -> Tensor
  expr: {expr}
  dtypes: floating
  samples: {{self: real}}
"""


def cube(name: str = "cube", expr: str = "self * self * self") -> str:
    """A library of one operator."""
    return _ENTRY.format(name=name, expr=expr)


def copy(library: Path, to: Path) -> Path:
    """The sources of a library, without what was built of them."""
    shutil.copytree(library, to, ignore=shutil.ignore_patterns("build", "dist"))
    return to


class Installed:
    """What a user has after `pip install`: no checkout, and of this process's environment the PATH alone.

    Args:
        home: a folder, for the environment and the user's cache.
        system: whether the system's Python packages are there, such as NumPy and pytest.
    """

    def __init__(self, home: Path, system: bool = False) -> None:
        more = ["--system-site-packages"] if system else []
        venv = ["/usr/bin/python3", "-m", "venv", "--without-pip", *more]
        subprocess.run([*venv, home / "venv"], check=True)
        self.home = home
        self.python = home / "venv/bin/python"
        self.bin = home / "venv/bin"
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(home), "OMP_NUM_THREADS": "1"}
        self.install(WHEEL)

    def install(self, *wheels: Path) -> None:
        pip = [self.python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
        subprocess.run(
            [*pip, "--no-index", "--no-cache-dir", "--no-deps", *wheels],
            check=True, env={**os.environ, "PYTHONPATH": str(PIP)},
        )  # fmt: skip

    def run(self, *words: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess:
        """Runs the interpreter with these words."""
        return self.command("python", *words, cwd=cwd, **environment)

    def command(
        self, name: str, *words: object, cwd: Path, **environment: str
    ) -> subprocess.CompletedProcess:
        """Runs a command of the environment with these words."""
        return subprocess.run(
            [self.bin / name, *map(str, words)], cwd=cwd, env={**self.environment, **environment},
            capture_output=True, text=True, check=False, timeout=600,
        )  # fmt: skip

    def prints(self, script: str, cwd: Path, **environment: str) -> str:
        """The output of a script that has to succeed."""
        result = self.run("-c", script, cwd=cwd, **environment)
        assert result.returncode == 0, result.stderr
        return result.stdout.strip()

    def refusal(self, *words: object, cwd: Path, **environment: str) -> str:
        """What a run that has to fail says on stderr, and that it is no traceback."""
        result = self.run(*words, cwd=cwd, **environment)
        assert result.returncode == 1, result.stdout + result.stderr
        return result.stderr
