"""Seeds of the fuzz targets: every kept input by itself, and for the generator all operators of tests."""

import subprocess
import sys
from pathlib import Path

import pytest


def seeds(name, folder):
    subprocess.run([sys.executable, "tools/dev/fuzz_seeds.py", name, folder], check=True)
    return [path.read_bytes() for path in folder.iterdir()]


def test_files_are_taken_apart(tmp_path):
    found = seeds("model", tmp_path / "inputs")
    assert not any(b"=== next" in seed for seed in found)
    golden = Path("tests/codegen/emit/golden/ops.yaml").read_bytes()
    assert sum(seed.startswith(golden + b"\n=== derivatives\n") for seed in found) == 1
    bad = next(Path("tests/codegen/bad_input").glob("*/0420-default-unknown-dtype/ops.yaml"))
    assert bad.read_bytes() in found


@pytest.mark.parametrize("name", ["cpp", "expression", "schema"])
def test_lines_are_taken_apart(tmp_path, name):
    found = seeds(name, tmp_path / "inputs")
    assert len(found) > 10
    assert all(seed and b"\n" not in seed for seed in found)


def test_sessions_stay_whole(tmp_path):
    session = Path("tests/codegen/fuzz/corpus/lsp/session").read_bytes()
    assert session in seeds("lsp", tmp_path / "inputs")
