"""Loads the compiled operators, or says why they cannot be used here."""

from pathlib import Path

try:
    import torch
except ImportError as error:
    raise ImportError(
        f"{__package__} needs PyTorch, which cannot be imported ({error}): 'pip install torch' installs it"
    ) from error

from ._record import AGAIN, check_library, find_library, read_record

# Each has what those before it have.
INSTRUCTION_SETS = ["DEFAULT", "AVX2", "AVX512"]


def _check(package, folder, binary):
    version, instructions, digest = read_record(
        package, folder, lambda words: len(words) == 3 and words[1] in INSTRUCTION_SETS
    )
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
    check_library(package, binary, digest)
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
    binary = find_library(package, Path(folder))
    _check(package, Path(folder), binary)
    try:
        torch.ops.load_library(binary)
    except OSError as error:
        raise ImportError(f"{package} cannot be loaded: {error}; {AGAIN}") from None
