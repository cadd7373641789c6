"""Starting up: importing the package."""

import subprocess
import sys

from measure import Pair, Sampler
from rows import row

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
