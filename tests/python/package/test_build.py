"""Operator libraries are built by what a wheel carries: without it that is what is said."""

import subprocess
import sys

import opweave as ow
import pytest
from opweave.build import BuildError

ENTRY = "- func: cube(Tensor self) -> Tensor\n  expr: self * self * self\n"
LACKS = "lacks bin/opweave, include, share/ops.yaml.*: install opweave from its wheel"


def test_a_package_without_the_generator(tmp_path, monkeypatch):
    monkeypatch.setenv("OPWEAVE_CACHE", str(tmp_path / "cache"))
    with pytest.raises(BuildError, match=LACKS):
        ow.compile_ops(ENTRY)
    (tmp_path / "ops.yaml").write_text(ENTRY)
    with pytest.raises(BuildError, match=LACKS):
        ow.compile_ops(tmp_path / "ops.yaml")


def test_the_report_names_what_there_is():
    said = subprocess.run(
        [sys.executable, "-m", "opweave"], capture_output=True, text=True, check=True
    ).stdout
    assert said == "" or said.startswith(f"Opweave {ow.__version__}, in ")
    shown = ow.__config__.show()
    assert f"threads: {ow.get_num_threads()} of " in shown
    assert "instruction set in use: " in shown
    assert "  - cpu: 1 device(s), built in" in shown
    assert ow.__config__.parallel_info().startswith(f"get_num_threads(): {ow.get_num_threads()}\n")
