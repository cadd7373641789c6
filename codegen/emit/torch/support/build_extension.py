"""How the C++ of the package is compiled: for the instruction set of this machine."""

import os
import re
import subprocess
import sys
from pathlib import Path

from building import ROOT, build_and_explain, check_compiler, files, write_record

try:
    import torch
except ImportError as error:
    sys.exit(
        f"PyTorch cannot be imported, against which the operators are compiled ({error}): 'pip install "
        "torch' installs it; then 'pip install --no-build-isolation FOLDER' builds them"
    )
from torch.utils.cpp_extension import (
    CUDA_HOME,
    BuildExtension,
    CppExtension,
    CUDAExtension,
    is_ninja_available,
)

CUDA = "csrc/handwritten_cuda/"

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

COMPILER_OPTIONS = [
    "-O3",
    "-std=c++20",
    "-fno-math-errno",
    "-fopenmp",
    "-g0",
    "-Wno-psabi",
    "-Wno-maybe-uninitialized",  # of the compiler's own vectors, thousands of lines
    "-fvisibility=hidden",
]
NVCC_OPTIONS = [
    "-O3",
    "-std=c++20",
    "--expt-relaxed-constexpr",
    "--expt-extended-lambda",
    "-Xcompiler=-fvisibility=hidden",
]


def instruction_set():
    """The machine's, unless OPWEAVE_TORCH_ISA names another."""
    name = os.environ.get("OPWEAVE_TORCH_ISA", torch.backends.cpu.get_cpu_capability()).upper()
    if name in INSTRUCTION_SETS:
        return name
    if "OPWEAVE_TORCH_ISA" in os.environ:
        sys.exit(f"OPWEAVE_TORCH_ISA is {name}, expected one of {', '.join(INSTRUCTION_SETS)}")
    return "DEFAULT"


def _release(nvcc):
    """Of the toolkit, as "13.0"; empty if nvcc does not run."""
    try:
        said = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    found = re.search(r"release (\d+\.\d+)", said.stdout)
    return found[1] if found else ""


def lack_of_cuda():
    """Why kernels of CUDA cannot be compiled here; empty if they can."""
    asked = os.environ.get("OPWEAVE_TORCH_CUDA", "")
    if asked not in ("", "0", "1"):
        sys.exit(f"OPWEAVE_TORCH_CUDA is {asked}, expected 0 (leave CUDA out) or 1 (insist on it)")
    if asked == "0":
        return "OPWEAVE_TORCH_CUDA is 0"
    if not torch.version.cuda:
        return f"PyTorch {torch.__version__} was built without CUDA"
    nvcc = Path(CUDA_HOME or "/usr/local/cuda", "bin", "nvcc")
    release = _release(nvcc)
    if not release:
        return f"there is no {nvcc}; install the CUDA toolkit {torch.version.cuda} or name it in CUDA_HOME"
    if release.partition(".")[0] != torch.version.cuda.partition(".")[0]:
        return (
            f"{nvcc} is of CUDA {release}, and PyTorch {torch.__version__} of {torch.version.cuda}"
        )
    return ""


def _cuda_sources(package):
    """The files of kernels for CUDA: none where they cannot be compiled, which stderr says.

    With OPWEAVE_TORCH_CUDA=1 that is an error.
    """
    sources = files("*.cu") + [path for path in files("*.cpp") if path.startswith(CUDA)]
    lack = lack_of_cuda() if sources else ""
    if not lack:
        return sources
    names = ", ".join(Path(source).name for source in sources)
    if os.environ.get("OPWEAVE_TORCH_CUDA") == "1":
        sys.exit(f"{package}: {names} cannot be compiled: {lack} (and OPWEAVE_TORCH_CUDA is 1)")
    print(f"{package}: built without the CUDA kernels of {names}: {lack}", file=sys.stderr)
    return []


def _choose_architectures():
    """PyTorch compiles for the GPUs of this machine, and does not know what to do where there is none."""
    if os.environ.get("TORCH_CUDA_ARCH_LIST") or torch.cuda.device_count():
        return
    flags = torch._C._cuda_getArchFlags() or "sm_80 sm_90"
    numbers = sorted({int(number) for number in re.findall(r"sm_(\d+)", flags)})
    names = [f"{number // 10}.{number % 10}" for number in numbers]
    os.environ["TORCH_CUDA_ARCH_LIST"] = ";".join([*names[:-1], f"{names[-1]}+PTX"])


def _check_tools(package):
    """That there is a compiler. Without ninja the package is built all the same, and stderr says so."""
    check_compiler(package)
    if not is_ninja_available():
        print(
            f"{package}: compiled one file after the other, without ninja: 'pip install ninja' installs it",
            file=sys.stderr,
        )


def extension(package):
    """The one shared library of a package."""
    if torch.__version__ < "2.6":
        sys.exit(
            f"{package} needs PyTorch 2.6 or later; this is {torch.__version__}: 'pip install --upgrade "
            "torch' installs the newest"
        )
    _check_tools(package)
    sources = [path for path in files("*.cpp") if not path.startswith(CUDA)]
    cuda = _cuda_sources(package)
    if cuda:
        _choose_architectures()
    return (CUDAExtension if cuda else CppExtension)(
        f"{package}._C",
        [*sources, *cuda],
        include_dirs=[str(ROOT / "csrc")],
        define_macros=[("OPWEAVE_TORCH_CUDA", "1")] if cuda else [],
        extra_compile_args={
            "cxx": [*COMPILER_OPTIONS, *INSTRUCTION_SETS[instruction_set()]],
            "nvcc": NVCC_OPTIONS,
        },
    )


class Build(BuildExtension):
    """PyTorch's command, whose errors lead to entries."""

    def build_extensions(self):
        build_and_explain(super().build_extensions, (RuntimeError, SystemExit))
        write_record(self, f"{torch.__version__} {instruction_set()}")


build_command = Build.with_options(use_ninja=True, no_python_abi_suffix=True)
