"""The files that are generated of a library's operators, compiled as one: no two define the same."""

from pathlib import Path

import pytest
from installed import Installed

# Operators of every kind are those of the core, here as a library's.
_GENERATE = """
import subprocess, sys
from pathlib import Path
from opweave.build.generate import write_units, run_generator, units
from opweave.build.toolchain import find_toolchain

out = Path("gen")
files = ("--ops", sys.argv[1], "--derivatives", sys.argv[2], "--target", sys.argv[3])
run_generator("gen", "--out", out, "--library", "everything", "--shards", 1, *files)
write_units(out, targets=())
(unit,) = out.glob("unit_*.cc")
words = [*find_toolchain().compile_words(out), "-fsyntax-only", str(unit)]
sys.exit(subprocess.run(words, check=False).returncode)
"""


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("user"))


def test_operators_of_every_kind_in_one_file(user: Installed, tmp_path: Path) -> None:
    names = ("ops.yaml", "derivatives.yaml", "kernels/cpu/target.yaml")
    files = [Path(name).resolve() for name in names]
    said = user.run("-c", _GENERATE, *files, cwd=tmp_path)
    assert said.returncode == 0, said.stderr[:4000]
