"""How the C++ of the package is compiled: for the instruction set of this machine."""

import contextlib
import json
import os
import re
import sys
import tempfile
from pathlib import Path

import torch
from compiler_messages import explain
from torch.utils.cpp_extension import BuildExtension, CppExtension

ROOT = Path(__file__).parent

# What at::vec is compiled for, by the name that torch.backends.cpu.get_cpu_capability() gives it.
INSTRUCTION_SETS = {
    "DEFAULT": ["-DCPU_CAPABILITY=DEFAULT", "-DCPU_CAPABILITY_DEFAULT"],
    "AVX2": ["-DCPU_CAPABILITY=AVX2", "-DCPU_CAPABILITY_AVX2", "-mavx2", "-mfma", "-mf16c"],
    "AVX512": [
        "-DCPU_CAPABILITY=AVX512",
        "-DCPU_CAPABILITY_AVX512",
        "-mavx512f",
        "-mavx512dq",
        "-mavx512vl",
        "-mavx512bw",
        "-mfma",
        "-mf16c",
    ],
}


def instruction_set():
    """The machine's, unless OPWEAVE_TORCH_ISA names another."""
    name = os.environ.get("OPWEAVE_TORCH_ISA", torch.backends.cpu.get_cpu_capability()).upper()
    if name in INSTRUCTION_SETS:
        return name
    if "OPWEAVE_TORCH_ISA" in os.environ:
        sys.exit(f"OPWEAVE_TORCH_ISA is {name}, expected one of {', '.join(INSTRUCTION_SETS)}")
    return "DEFAULT"


def extension(package):
    """The one shared library of a package."""
    if torch.__version__ < "2.6":
        sys.exit(f"{package} needs PyTorch 2.6 or later; this is {torch.__version__}")
    built = f"{torch.__version__} {instruction_set()}\n"
    (ROOT / package / "_built.txt").write_text(built)  # which the import compares
    sources = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "csrc").rglob("*.cpp"))
    return CppExtension(
        f"{package}._C",
        sources,
        include_dirs=[str(ROOT / "csrc")],
        extra_compile_args={
            "cxx": [
                "-O3",
                "-std=c++20",
                "-fno-math-errno",
                "-fopenmp",
                "-g0",
                "-Wno-psabi",
                "-fvisibility=hidden",
                *INSTRUCTION_SETS[instruction_set()],
            ]
        },
    )


@contextlib.contextmanager
def _output_in(file):
    """What this process and those that it starts write on stdout goes into a file."""
    sys.stdout.flush()
    before = os.dup(1)
    os.dup2(file.fileno(), 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(before, 1)
        os.close(before)


def _handwritten():
    """The kernels, by the names that the compiler knows: those of the files that they were copied from."""
    for path in (ROOT / "csrc" / "kernels").glob("*.cpp"):
        first = path.read_text(encoding="utf-8", errors="replace").partition("\n")[0]
        if found := re.match(r'#line 1 "(.+)"', first):
            yield Path(found[1])


def explained(output):
    """What the compiler said, told of the entries in the YAML file that it is about."""
    operators = json.loads((ROOT / "operators.json").read_text(encoding="utf-8"))
    return explain(output, ROOT / "csrc", list(_handwritten()), operators)


class Build(BuildExtension):
    """PyTorch's command, whose errors lead to entries."""

    def build_extensions(self):
        os.environ["LC_ALL"] = "C.UTF-8"  # messages are read
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as file:
            try:
                with _output_in(file):
                    super().build_extensions()
            except (RuntimeError, SystemExit) as error:
                file.seek(0)
                output = file.read()
                if "error:" not in output:
                    print(output)
                    raise
                sys.exit(f"{explained(output)}\n{error}")
            file.seek(0)
            print(file.read())


build_command = Build.with_options(use_ninja=True, no_python_abi_suffix=True)
