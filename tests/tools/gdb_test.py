"""tools/gdb/opweave.py in gdb: what it prints of a program."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

PROGRAM = Path("tests/tools/gdb_program").resolve()
PRINTERS = Path("tools/gdb/opweave.py").resolve()


@pytest.fixture(scope="module")
def look():
    if shutil.which("gdb") is None:
        pytest.skip("gdb is not installed (./dev setup installs it)")

    def ask(*expressions):
        commands = [
            f"source {PRINTERS}",
            "break look",
            "run",
            "up",
            *(f"print {e}" for e in expressions),
        ]
        arguments = [word for command in commands for word in ("-ex", command)]
        command = ["gdb", "-nx", "-batch", *arguments, str(PROGRAM)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        printed = re.findall(r"^\$\d+ = (.*(?:\n[ }].*)*)", done.stdout, re.MULTILINE)
        assert len(printed) == len(expressions), done.stdout + done.stderr
        return printed

    return ask


def test_tensors(look):
    tensor, view, undefined = look("tensor", "view", "undefined")
    meta = "meta, keys {meta, kADInplaceOrView}"
    assert "tensor of sizes [2, 4], strides [4, 1], kFloat, " + meta in tensor
    more = "tensor of sizes [1, 1, 1, 1, 3, 2], strides [0, 0, 0, 0, 1, 3], kFloat, meta, offset 1, keys "
    assert more in view
    assert "undefined tensor" in undefined


def test_dispatch_key_sets(look):
    assert look("keys") == ["{cpu, device type 7, kAutograd, functionality 40}"]


def test_boxed_values(look):
    items = [f"((opweave::IValue*)stack._M_impl._M_start)[{i}]" for i in range(10)]
    none, boolean, integer, real, tensor, dtype, device, string, integers, generator = look(*items)
    assert [none, boolean, integer, real] == ["None", "bool true", "int 3", "float 0.5"]
    assert tensor.startswith("Tensor tensor of sizes [1, 1, 1, 1, 3, 2], ")
    assert dtype == "ScalarType opweave::ScalarType::kHalf"
    assert device == "Device meta:1"
    assert string == 'str "mean"'
    assert integers.startswith("int[] std::vector of length 2")
    assert generator == "Generator"
