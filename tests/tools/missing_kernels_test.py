"""A library whose kernels are missing, or have another signature, is not made, and the message says which."""

import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path("bindings/python/opweave/build/missing_kernels.py").resolve()
# As in generated code: what is registered is declared, and called.
CALLER = """
namespace opweave { struct Tensor; namespace cpu {
void bucket(const Tensor& self, long count, Tensor& out);
void call(const Tensor& self, Tensor& out) { bucket(self, 1, out); }
}}
"""
KERNELS = {
    "right": "namespace opweave::cpu { void bucket(const Tensor&, long, Tensor&) {} }",
    "other": "namespace opweave::cpu { void bucket(const Tensor&, int, Tensor&) {} }",
    "outside": "namespace opweave { void bucket(const Tensor&, long, Tensor&) {} }",
    "none": "",
}


@pytest.fixture
def link(tmp_path):
    def linked(kernel):
        (tmp_path / "caller.cc").write_text(CALLER)
        (tmp_path / "bucket.cc").write_text(
            "namespace opweave { struct Tensor; }\n" + KERNELS[kernel]
        )
        command = [
            "g++",
            "-std=c++20",
            "-shared",
            "-fPIC",
            "caller.cc",
            "bucket.cc",
            "-o",
            "made.so",
        ]
        subprocess.run(command, cwd=tmp_path, check=True)
        tool = [sys.executable, TOOL, "made.so", "checked.so", "--sources", "bucket.cc"]
        return subprocess.run(tool, cwd=tmp_path, capture_output=True, text=True, check=False)

    return linked


MISSING = (
    "error: the operator 'bucket' has no kernel for the target 'cpu': nothing defines\n"
    "    opweave::cpu::bucket(opweave::Tensor const&, long, opweave::Tensor&)\n"
    "  which opweave/kernels/cpu/ declares\n"
)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (
            "other",
            MISSING + "  bucket.cc has another signature:\n"
            "    opweave::cpu::bucket(opweave::Tensor const&, int, opweave::Tensor&)\n",
        ),
        (
            "outside",
            MISSING
            + "  bucket.cc names it, but defines no function of the namespace opweave::cpu\n",
        ),
        ("none", MISSING),
    ],
)
def test_what_is_missing_is_named(link, tmp_path, kernel, message):
    done = link(kernel)
    assert (done.returncode, done.stderr) == (1, message)
    assert not (tmp_path / "checked.so").exists()


def test_what_is_there_is_copied(link, tmp_path):
    done = link("right")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "checked.so").read_bytes() == (tmp_path / "made.so").read_bytes()


@pytest.mark.parametrize(
    ("include", "result", "refused"),
    [
        ('#include "opweave/kernels/cpu/bucket.h"', "void", False),
        ('#include "opweave/kernels/cpu.h"', "void", False),
        ("", "int", True),  # links, as the names of functions do not say what they return
        ("", "void", True),
    ],
)
def test_a_kernel_includes_its_header(tmp_path, include, result, refused):
    header = tmp_path / "opweave/kernels/cpu/bucket.h"
    header.parent.mkdir(parents=True)
    header.write_text(
        "namespace opweave::cpu {\n"
        "void bucket(const Tensor& self, int64_t count,\n            Tensor& out);\n}\n"
    )
    source = tmp_path / "mine.cc"
    body = f"{result} bucket(const Tensor& self, int64_t count,\n  Tensor& out) {{ }}"
    source.write_text(f"{include}\nnamespace opweave::cpu {{\n{body}\n}}\n")
    made = tmp_path / "made.so"
    subprocess.run(["g++", "-shared", "-x", "c++", "/dev/null", "-o", made], check=True)
    tool = [sys.executable, TOOL, made, tmp_path / "copy.so", "--sources", source]
    tool += ["--headers", header]
    done = subprocess.run(tool, capture_output=True, text=True, check=False)
    assert done.returncode == (1 if refused else 0)
    if refused:
        assert f"error: {source} defines 'bucket', the kernel of an operator" in done.stderr
        assert '#include "opweave/kernels/cpu/bucket.h"' in done.stderr


def test_what_another_library_defines_is_there(link, tmp_path):
    link("right")
    (tmp_path / "user.cc").write_text(CALLER)
    command = ["g++", "-std=c++20", "-shared", "-fPIC", "user.cc", "-o", "user.so"]
    subprocess.run(command, cwd=tmp_path, check=True)
    tool = [sys.executable, TOOL, "user.so", "copy.so"]
    assert subprocess.run(tool, cwd=tmp_path, capture_output=True, check=False).returncode == 1
    tool += ["--against", "made.so"]
    assert subprocess.run(tool, cwd=tmp_path, capture_output=True, check=False).returncode == 0


def test_a_failed_build_says_what_to_run(tmp_path):
    log = tmp_path / "command.log"
    log.write_text("ERROR: undeclared inclusion(s) in rule '//kernels/cpu:x':\n")
    script = f"source tools/dev/common.sh; explain_failure {log} 3"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "run tools/codegen/update_operators.py" in done.stderr
