"""The generator and torchgen as contenders: command lines, their times and their peak memory."""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import torch
import torchgen
from baseline import BIN
from made_up import write
from measure import Sampler

OPWEAVE = str(BIN / "codegen/cli/opweave")
YAML = ["--ops", "ops.yaml", "--derivatives", "derivatives.yaml"]

_PACKAGED = Path(torchgen.__file__).parent / "packaged"
_NATIVE = str(_PACKAGED / "ATen/native/native_functions.yaml")
_DERIVATIVES = str(_PACKAGED / "autograd/derivatives.yaml")
_HELPERS = str(Path(torch.__file__).parent / "include/torch/csrc/autograd/FunctionsManual.h")

_TORCHGEN_PARSE = """
import sys, time
from torchgen.gen import parse_native_yaml
from torchgen.packaged.autograd.load_derivatives import load_derivatives
native, derivatives, tags = sys.argv[1:]
start = time.perf_counter()
parse_native_yaml(native, tags)
load_derivatives(derivatives, native, tags)
print(time.perf_counter() - start)
"""

Command = Callable[[], list[str]]


@cache
def _folder() -> Path:
    """In memory, where there is room: file systems differ more than generators.

    What is written stays until the end: a file system that is still busy deleting is slow.
    """
    memory = "/dev/shm"
    has_room = os.path.isdir(memory) and shutil.disk_usage(memory).free > 4e9
    folder = tempfile.TemporaryDirectory(prefix="opweave_bench_", dir=memory if has_room else None)
    atexit.register(folder.cleanup)
    return Path(folder.name)


def _new_folder() -> str:
    return tempfile.mkdtemp(dir=_folder())


def version() -> list[str]:
    return [OPWEAVE, "--version"]


def check() -> list[str]:
    return [OPWEAVE, "check", *YAML]


def check_torch() -> list[str]:
    files = [_NATIVE, _DERIVATIVES, "--helpers", _HELPERS]
    return [OPWEAVE, "check", "--dialect=torch", *files]


def generate() -> list[str]:
    return [OPWEAVE, "gen", "--out", _new_folder(), *YAML, "--target", "kernels/cpu/target.yaml"]


@cache
def _made_up(count: int) -> list[str]:
    return write(count, Path(_new_folder()))


def generate_made_up(count: int) -> Command:
    """The operators of this repository and that many more."""
    return lambda: [OPWEAVE, "gen", "--out", _new_folder(), *_made_up(count), "--target", "cpu"]


# A small process stands between: the peak memory of a child counts what its parent had at the fork.
_MEASURE = """
import resource, subprocess, sys, time
start = time.perf_counter()
status = subprocess.call(sys.argv[2:], cwd=sys.argv[1], stdout=subprocess.DEVNULL)
seconds = time.perf_counter() - start
print(seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
sys.exit(status)
"""


def _run(command: list[str], folder: str = ".") -> tuple[float, float]:
    """The seconds and the peak megabytes of a process."""
    measure = [sys.executable, "-c", _MEASURE, folder, *command]
    seconds, megabytes = subprocess.check_output(measure, text=True).split()
    return float(seconds), float(megabytes)


def seconds_of(command: Command) -> Sampler:
    return lambda runs: sum(_run(command())[0] for _ in range(runs))


@cache
def _best_run(command: Command, tries: int) -> tuple[float, float]:
    results = [_run(command()) for _ in range(tries)]
    return min(result[0] for result in results), min(result[1] for result in results)


def seconds_of_few(command: Command, tries: int = 2) -> Sampler:
    """For what takes long: the best of a few runs, however often it is asked for."""
    return lambda runs: _best_run(command, tries)[0] * runs


def megabytes_of(command: Command, tries: int = 2) -> Sampler:
    return lambda runs: _best_run(command, tries)[1] * runs


@cache
def _torchgen_aten() -> float:
    source = ["--source-path", str(_PACKAGED / "ATen")]
    command = [sys.executable, "-m", "torchgen.gen", *source, "--install-dir", _new_folder()]
    return _run(command, _new_folder())[0]  # it writes into the current folder, too


def torchgen_aten(runs: int) -> float:
    """Once: it takes long."""
    return _torchgen_aten() * runs


def torchgen_parse(runs: int) -> float:
    """Each run is a fresh interpreter, which times the parsing alone."""
    tags = str(_PACKAGED / "ATen/native/tags.yaml")
    command = [sys.executable, "-c", _TORCHGEN_PARSE, _NATIVE, _DERIVATIVES, tags]
    return sum(float(subprocess.check_output(command)) for _ in range(runs))
