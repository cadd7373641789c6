"""Loads the compiled kernels, or says why they cannot be used here."""

import ctypes
import platform
from pathlib import Path

try:
    import jax
except ImportError as error:
    raise ImportError(
        f"{__package__} needs JAX, which cannot be imported ({error}): 'pip install jax' installs it"
    ) from error

if not hasattr(jax, "typeof"):
    raise ImportError(
        f"{__package__} needs JAX 0.6 or later, this is {jax.__version__}: 'pip install --upgrade jax' "
        "installs the newest"
    )

from jax import Array
from jax.typing import ArrayLike, DTypeLike

from ._record import AGAIN, check_library, find_library, read_record

__all__ = ["Array", "ArrayLike", "DTypeLike", "load"]


def _flags():
    """The instruction sets of this processor."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return set()
    lines = (line for line in text.splitlines() if line.startswith(("flags", "Features")))
    return set(next(lines, ":").partition(":")[2].split())


def _check(package, folder, binary):
    version, machine, needed, digest = read_record(package, folder, lambda words: len(words) == 4)
    # XLA checks the interface at each call, and ends calls of a newer one than its own.
    if version.split(".")[:2] != jax.__version__.split(".")[:2]:
        raise ImportError(
            f"{package} was built for JAX {version}, this is {jax.__version__}; {AGAIN}"
        )
    lacking = sorted(set(needed.split(",")) - {"-"} - _flags())
    if machine != platform.machine() or lacking:
        raise ImportError(
            f"{package} was built for {machine}{' with ' if lacking else ''}{', '.join(lacking)}, which this "
            f"processor does not have; {AGAIN}"
        )
    check_library(package, binary, digest)


def load(package, folder, kernels):
    """Registers kernels with XLA, by the names `<package>.<kernel>`.

    Raises:
        ImportError: nothing was built, or it was for another JAX or processor, or is damaged; nothing is
            registered then.
    """
    if not kernels:
        return
    binary = find_library(package, folder)
    _check(package, folder, binary)
    try:
        library = ctypes.CDLL(str(binary))
        functions = {name: getattr(library, f"ow_{name}") for name in kernels}
    except (OSError, AttributeError) as error:
        raise ImportError(f"{package} cannot be loaded: {error}; {AGAIN}") from None
    for name, function in functions.items():
        jax.ffi.register_ffi_target(
            f"{package}.{name}", jax.ffi.pycapsule(function), platform="cpu"
        )
