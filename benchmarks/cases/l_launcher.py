"""Starting a program as several processes, until they have done something together."""

import importlib
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measure import Pair, Sampler
from rows import row

PROCESSES = 8
LIMIT_SECONDS = 120
PROGRAM = """
import {module} as torch
import {module}.distributed as dist
dist.init_process_group("gloo")
dist.all_reduce(torch.ones(1))
dist.barrier()
if dist.get_rank() == 0:
    print("there", flush=True)
dist.destroy_process_group()
"""


def _once(command: list[str]) -> float:
    began = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as launcher:
        try:
            assert launcher.stdout is not None
            line = launcher.stdout.readline()
            seconds = time.perf_counter() - began
            if not line or launcher.wait(LIMIT_SECONDS) != 0:
                raise RuntimeError(f"{command} failed")
        except BaseException:
            launcher.send_signal(signal.SIGTERM)
            raise
    return seconds


def _launch(module: str) -> Sampler:
    """Each run starts all processes anew, and ends when rank 0 has left a barrier."""
    importlib.import_module(f"{module}.distributed")  # an error is told before anything is started

    def sample(runs: int) -> float:
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "program.py"
            program.write_text(PROGRAM.format(module=module))
            flags = ["--standalone", "--nproc-per-node", str(PROCESSES), str(program)]
            command = [sys.executable, "-m", f"{module}.distributed.run", *flags]
            return sum(_once(command) for _ in range(runs))

    return sample


@row(f"launcher: {PROCESSES} processes to the first collective", "torchrun", 0.2)
def _() -> Pair:
    return Pair(_launch("opweave"), _launch("torch"))
