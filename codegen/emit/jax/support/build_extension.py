"""How the C++ of the package is compiled: for the instruction set of this machine."""

import os
import platform
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from building import ROOT, build_and_explain, check_compiler, files, write_record
from setuptools import Extension
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError, LinkError

try:
    import jax
except ImportError as error:
    sys.exit(
        f"JAX cannot be imported, whose headers the operators are compiled with ({error}): 'pip install jax' "
        "installs it; then 'pip install --no-build-isolation FOLDER' builds them"
    )

# Options of the compiler, and what a processor is asked for before it runs what they make.
INSTRUCTION_SETS = {
    "DEFAULT": ([], []),
    "AVX2": (["-mavx2", "-mfma", "-mf16c"], ["avx2", "fma", "f16c"]),
    "AVX512": (
        ["-mavx512f", "-mavx512dq", "-mavx512vl", "-mavx512bw", "-mfma", "-mf16c"],
        ["avx512f", "avx512dq", "avx512vl", "avx512bw", "fma", "f16c"],
    ),
}
COMPILER_OPTIONS = [
    "-O3",
    "-std=c++20",
    "-fno-math-errno",
    "-g0",
    "-Wno-psabi",
    "-fvisibility=hidden",
]


def _flags():
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return set()
    lines = (line for line in text.splitlines() if line.startswith("flags"))
    return set(next(lines, ":").partition(":")[2].split())


def instruction_set():
    """The machine's, unless OPWEAVE_JAX_ISA names another."""
    asked = os.environ.get("OPWEAVE_JAX_ISA", "").upper()
    if asked and asked not in INSTRUCTION_SETS:
        sys.exit(f"OPWEAVE_JAX_ISA is {asked}, expected one of {', '.join(INSTRUCTION_SETS)}")
    has = [name for name, (_, needed) in INSTRUCTION_SETS.items() if set(needed) <= _flags()]
    return asked or has[-1]


def extension(package):
    """The one shared library of a package."""
    if not hasattr(jax, "ffi"):
        sys.exit(
            f"{package} needs JAX 0.6 or later; this is {jax.__version__}: 'pip install --upgrade jax' "
            "installs the newest"
        )
    check_compiler(package)
    return Extension(
        f"{package}._C",
        files("*.cpp"),
        include_dirs=[str(ROOT / "csrc")],
        extra_compile_args=[
            *COMPILER_OPTIONS,
            *INSTRUCTION_SETS[instruction_set()][0],
            # Without warnings of what is not ours.
            *("-isystem", jax.ffi.include_dir()),
        ],
        language="c++",
    )


class Build(build_ext):
    """The command of setuptools, whose errors lead to entries; several files at once."""

    def get_ext_filename(self, fullname):
        # It is no module of Python, and serves any.
        return f"{fullname.replace('.', os.sep)}.so"

    def get_export_symbols(self, ext):
        return []

    def _compile_each(self):
        compile_one = self.compiler.compile

        def compile_all(sources, *args, **kwargs):
            with ThreadPoolExecutor(os.cpu_count()) as threads:
                made = list(threads.map(lambda s: compile_one([s], *args, **kwargs), sources))
            return [name for names in made for name in names]

        self.compiler.compile = compile_all

    def build_extensions(self):
        self._compile_each()
        build_and_explain(super().build_extensions, (CompileError, LinkError, SystemExit), (1, 2))
        needed = ",".join(INSTRUCTION_SETS[instruction_set()][1]) or "-"
        write_record(self, f"{jax.__version__} {platform.machine()} {needed}")


build_command = Build
