"""The wheel installs into a clean environment and works there, with nothing but itself."""

import base64
import csv
import hashlib
import io
import os
import subprocess
import zipfile
from pathlib import Path

import pytest

WHEEL = next(Path("tools/wheel").glob("opweave-*.whl"))
# Of which 3 million are what operator libraries are built with.
MAX_BYTES = 25_000_000


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a fresh environment with only the wheel in it."""
    home = tmp_path_factory.mktemp("venv")
    subprocess.run(["/usr/bin/python3", "-m", "venv", home], check=True)
    pip = [home / "bin/python", "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "install", "--no-index", "--no-cache-dir", WHEEL.resolve()], check=True)
    return home / "bin/python"


def run(python: Path, script: str) -> str:
    env = {key: value for key, value in os.environ.items() if key == "PATH"}
    command = [python, "-I", "-c", script]
    result = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_size() -> None:
    assert WHEEL.stat().st_size < MAX_BYTES


def test_record_lists_every_file_with_its_hash() -> None:
    with zipfile.ZipFile(WHEEL) as wheel:
        record = next(name for name in wheel.namelist() if name.endswith(".dist-info/RECORD"))
        rows = list(csv.reader(io.StringIO(wheel.read(record).decode())))
        assert sorted(row[0] for row in rows) == sorted(wheel.namelist())
        for name, digest, size in (row for row in rows if row[0] != record):
            content = wheel.read(name)
            expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
            assert (digest, int(size)) == ("sha256=" + expected.decode(), len(content))


def test_carries_licences() -> None:
    with zipfile.ZipFile(WHEEL) as wheel:
        names = {name.partition("/licenses/")[2] for name in wheel.namelist()}
    assert {"LICENSE", "NOTICE"} <= names
    carried = {"libdnnl2", "libgomp1", "libopenblas-pthread-dev", "librandom123-dev"}
    assert carried <= {Path(name).stem for name in names if name.startswith("third_party/")}


def test_add_and_backward(python: Path) -> None:
    script = """
import opweave as ow
a = ow.tensor([1.0, 2.0], requires_grad=True)
b = (a + a * a).sum()
b.backward()
print(b.item(), a.grad.tolist())
"""
    assert run(python, script) == "8.0 [3.0, 5.0]"


def test_singular_values(python: Path) -> None:
    script = (
        "import opweave as ow; print(ow.linalg.svdvals(ow.tensor([[3.0, 0], [0, 4]])).tolist())"
    )
    assert run(python, script) == "[4.0, 3.0]"


def test_does_not_need_numpy(python: Path) -> None:
    script = "import sys, opweave; print('numpy' in sys.modules)"
    assert run(python, script) == "False"


def test_version(python: Path) -> None:
    version = WHEEL.name.split("-")[1]
    assert run(python, "import opweave; print(opweave.__version__)") == version
    generator = [python.parent / "opweave", "--version"]
    said = subprocess.run(generator, check=True, capture_output=True, text=True).stdout
    assert said == f"opweave {version}\n"


def test_loads_the_libraries_that_it_carries(python: Path) -> None:
    script = """
import opweave
opweave.linalg.svdvals(opweave.ones(2, 2))
loaded = {line.split()[-1] for line in open('/proc/self/maps') if '.so' in line}
print('\\n'.join(sorted(loaded)))
"""
    loaded = [Path(line) for line in run(python, script).splitlines()]
    carried = {Path(name).name for name in zipfile.ZipFile(WHEEL).namelist() if "/lib/" in name}
    assert carried
    home = python.parent.parent.resolve()
    outside = [p for p in loaded if p.name in carried and home not in p.resolve().parents]
    assert not outside, f"loaded from the system instead: {outside}"


def test_carries_the_backend_of_the_systems_mpi(python: Path) -> None:
    script = """
import opweave as ow, opweave.distributed as dist
dist.init_process_group("mpi")  # outside of mpirun a world of one
x = ow.ones(3)
dist.all_reduce(x)
print(dist.get_backend(), dist.get_world_size(), x.tolist())
dist.destroy_process_group()
"""
    assert run(python, script) == "mpi 1 [1.0, 1.0, 1.0]"
