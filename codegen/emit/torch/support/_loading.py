"""Loads the compiled operators, or says why they cannot be used here."""

import hashlib
from pathlib import Path

try:
    import torch
except ImportError as error:
    raise ImportError(
        f"{__package__} needs PyTorch, which cannot be imported ({error}): 'pip install torch' installs it"
    ) from error

# Each has what those before it have.
INSTRUCTION_SETS = ["DEFAULT", "AVX2", "AVX512"]


AGAIN = "run `pip install --no-build-isolation .` where its setup.py is"


def _built_for(package, record):
    """The PyTorch and the instruction set that the library was compiled for, and its hash."""
    if not record.exists():
        raise ImportError(f"{package} was built by half: there is no {record}; {AGAIN}")
    built = record.read_text(encoding="utf-8", errors="replace").split()
    if len(built) != 3 or built[1] not in INSTRUCTION_SETS:
        raise ImportError(f"{package}: {record} is damaged; {AGAIN}")
    return built


def _check(package, binary, record):
    version, instructions, digest = _built_for(package, record)
    if version != torch.__version__:
        raise ImportError(
            f"{package} was built for PyTorch {version}, this is {torch.__version__}; {AGAIN}"
        )
    machine = torch.backends.cpu.get_cpu_capability()
    known = machine in INSTRUCTION_SETS
    if known and INSTRUCTION_SETS.index(instructions) > INSTRUCTION_SETS.index(machine):
        raise ImportError(
            f"{package} was built for {instructions}, and this processor has {machine}; {AGAIN}"
        )
    # A file that was cut off ends the process when it is loaded.
    if hashlib.sha256(binary.read_bytes()).hexdigest() != digest:
        raise ImportError(
            f"{package}: {binary} is not the file that was built: it is damaged, or was changed; {AGAIN}"
        )
    # PyTorch ends the process when a name is registered twice.
    taken = [n for n in torch._C._dispatch_get_all_op_names() if n.startswith(f"{package}::")]
    if taken:
        raise ImportError(
            f"{package}: PyTorch has operators of that namespace already ({min(taken)}): another copy of the "
            "package was imported, or another extension has its name"
        )


def load(package, folder):
    """ImportError where nothing was built, or it was for another PyTorch or another processor, or is damaged,
    or its operators are there already; nothing is registered then."""
    binaries = sorted(Path(folder).glob("_C*.so"))
    if not binaries:
        raise ImportError(
            f"{package} has not been built: nothing is called _C*.so in {folder}; {AGAIN}"
        )
    _check(package, binaries[0], Path(folder) / "_built.txt")
    try:
        torch.ops.load_library(binaries[0])
    except OSError as error:
        raise ImportError(f"{package} cannot be loaded: {error}; {AGAIN}") from None
