"""Loads the compiled operators, or says why they cannot be used here."""

from pathlib import Path

import torch

# Each has what those before it have.
INSTRUCTION_SETS = ["DEFAULT", "AVX2", "AVX512"]


def load(package, folder):
    """ImportError where nothing was built, or it was for another PyTorch or another processor."""
    binaries = sorted(Path(folder).glob("_C*.so"))
    again = "run `pip install --no-build-isolation .` where its setup.py is"
    if not binaries:
        raise ImportError(
            f"{package} has not been built: nothing is called _C*.so in {folder}; {again}"
        )
    record = Path(folder) / "_built.txt"
    if not record.exists():
        raise ImportError(f"{package} was built by half: there is no {record}; {again}")
    built = record.read_text().split()
    if built[0] != torch.__version__:
        raise ImportError(
            f"{package} was built for PyTorch {built[0]}, this is {torch.__version__}; {again}"
        )
    machine = torch.backends.cpu.get_cpu_capability()
    if machine in INSTRUCTION_SETS and INSTRUCTION_SETS.index(built[1]) > INSTRUCTION_SETS.index(
        machine
    ):
        raise ImportError(
            f"{package} was built for {built[1]}, and this processor has {machine}; {again}"
        )
    torch.ops.load_library(binaries[0])
