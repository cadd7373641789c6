"""How the C++ of the package is compiled: for the instruction set of this machine."""

import os
import sys
from pathlib import Path

import torch
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


build_command = BuildExtension.with_options(use_ninja=True, no_python_abi_suffix=True)
