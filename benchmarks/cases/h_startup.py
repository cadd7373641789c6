"""Starting up: importing the package, running the generator."""

import subprocess
import sys
import tempfile
from collections.abc import Callable

from generator import check, generate
from measure import Pair, Sampler, function
from rows import add_row, row

IMPORT = """
import time
start = time.perf_counter()
import {module}
print(time.perf_counter() - start)
"""


def _import(module: str) -> Sampler:
    """Each run is a fresh interpreter, which times the import alone."""

    def sample(runs: int) -> float:
        command = [sys.executable, "-c", IMPORT.format(module=module)]
        outputs = [subprocess.check_output(command) for _ in range(runs)]
        return sum(float(output) for output in outputs)

    return sample


@row("import opweave", "import torch", 0.05)
def _() -> Pair:
    return Pair(_import("opweave"), _import("torch"))


def _one_second(runs: int) -> float:
    """What a row is measured against whose goal is a time."""
    return float(runs)


def _generator(command: Callable[[str], list[str]]) -> Callable[[], Pair]:
    def prepare() -> Pair:
        def run() -> None:
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run(command(folder), check=True, stdout=subprocess.DEVNULL)

        return Pair(function(run), _one_second)

    return prepare


add_row("full generation", "one second", 0.5, _generator(generate))
add_row("opweave check", "one second", 0.05, _generator(check))
