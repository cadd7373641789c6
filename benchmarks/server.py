"""A C++ benchmark as a contender: a process that reads numbers of runs and answers seconds."""

import subprocess
from pathlib import Path

from measure import Sampler


def served(binary: Path, case: str) -> Sampler:
    process = subprocess.Popen(
        [binary, case], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )

    def sample(runs: int) -> float:
        assert process.stdin is not None
        assert process.stdout is not None
        print(runs, file=process.stdin)
        return float(process.stdout.readline())

    return sample
