"""Functions of the top module that make tensors, in several steps or over a file."""

import math
import mmap
import os
import warnings

from opweave import _C
from opweave._arguments import expect_int as _expect_int
from opweave._arguments import expect_number as _expect_number
from opweave._arguments import takes as _takes
from opweave._overridable import make_overridable as _make_overridable
from opweave._results import into

__all__ = ["from_file", "logspace", "range"]


@_takes(steps="int", base="float", dtype="dtype")
def logspace(
    start, end, steps, base=10.0, *, out=None, dtype=None, device=None, requires_grad=False
):
    """Powers of a base, with exponents from start to end in equal steps.

    Args:
        dtype: the default float, unless given; of integers the first and the last exponent are whole.
    """
    for name, x in (("start", start), ("end", end)):
        if isinstance(x, _C.Tensor) and x.dim() != 0:
            raise RuntimeError(
                "logspace only supports 0-dimensional start and end tensors, but got "
                f"{name} with {x.dim()} dimension(s)."
            )
        _expect_number("logspace", name, x, "Number")
    start, end = (x.item() if isinstance(x, _C.Tensor) else x for x in (start, end))
    dtype = dtype or (_C.get_default_dtype() if out is None else out.dtype)
    device = device if out is None else out.device
    if not dtype.is_floating_point and steps != 1:
        start, end = int(start), int(end)
    wide = _C.linspace(start, end, steps, dtype=_C.float64, device=device)
    values = _C.pow(float(base), wide).to(dtype)
    return values.requires_grad_(requires_grad) if out is None else into("logspace", out, values)


def range(start, end, step=1, *, out=None, dtype=None, device=None, requires_grad=False):
    """Numbers from start to end, which is one of them where a step meets it; arange() is without the end.

    Args:
        dtype: the default float, unless given.

    Raises:
        RuntimeError: a step of zero or of the wrong sign, or a bound that is not finite.
    """
    warnings.warn(
        "range is deprecated, as it is not Python's range, which ends before its end; use arange",
        stacklevel=3,
    )
    for name, x in (("start", start), ("end", end), ("step", step)):
        _expect_number("range", name, x, "Number")
    start, end, step = (x.item() if isinstance(x, _C.Tensor) else x for x in (start, end, step))
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if not math.isfinite(step):
        raise RuntimeError(f"unsupported range: step must be finite, got {step}")
    dtype = dtype or (_C.get_default_dtype() if out is None else out.dtype)
    if not dtype.is_floating_point:
        start, end, step = int(start), int(end), int(step)
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    count = math.floor((end - start) / step) + 1
    wide = _C.float64 if dtype.is_floating_point else _C.int64
    values = (_C.arange(count, dtype=wide, device=device) * step + start).to(dtype)
    return values.requires_grad_(requires_grad) if out is None else into("range", out, values)


# --- files ------------------------------------------------------------------------------------------------
def from_file(filename, shared=None, size=0, *, dtype=None, device=None, requires_grad=False):
    """A vector over a file's bytes, which are read when they are used.

    Args:
        shared: whether what is written to the tensor is written to the file, which is made, and made longer,
            where needed.
        size: how many elements.
        dtype: the default float, unless given.

    Raises:
        RuntimeError: a file that cannot be opened or mapped, or is shorter than that.
    """
    if not isinstance(filename, (str, os.PathLike)):
        raise TypeError(
            f"from_file(): argument 'filename' (position 1) must be str, not {type(filename).__name__}"
        )
    _expect_int("from_file", "size", size)
    if size < 0:
        raise RuntimeError(f"from_file(): size must be non-negative, got {size}")
    dtype = dtype or _C.get_default_dtype()
    if size == 0:
        made = _C.empty(0, dtype=dtype)
    else:
        made = _C.frombuffer(mapped(filename, bool(shared), size * dtype.itemsize), dtype=dtype)
    return (made if device is None else made.to(device)).requires_grad_(requires_grad)


def mapped(filename, shared, nbytes):
    """The first bytes of a file, in memory."""
    mode = "read-write" if shared else "read-only"
    flags = os.O_RDWR | os.O_CREAT if shared else os.O_RDONLY
    try:
        file = os.open(filename, flags | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise RuntimeError(
            f"unable to open file <{filename}> in {mode} mode: {error.strerror} ({error.errno})"
        ) from error
    try:
        found = os.fstat(file).st_size
        if found < nbytes and not shared:
            raise RuntimeError(
                f"file <{filename}> size <{found}> is smaller than the required mapping size <{nbytes}>"
            )
        if found < nbytes:
            os.ftruncate(file, nbytes)
        return mmap.mmap(file, nbytes, access=mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY)
    except (OSError, ValueError) as error:
        raise RuntimeError(
            f"unable to mmap {nbytes} bytes from file <{filename}>: {error}"
        ) from error
    finally:
        os.close(file)


_make_overridable(globals())
