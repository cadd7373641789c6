"""The target that a library is tested on, and what its operators promise to do there."""

import contextlib
import os
import re

import opweave as ow
import pytest
from calls import mapped
from operators import INTERNAL, KERNELS, OPERATORS

TARGET = os.environ["OPWEAVE_TESTED_TARGET"]
needs_device = pytest.mark.skipif(
    not getattr(ow, TARGET).is_available(), reason=f"there is no {TARGET} device"
)
# Whether `expr` entries are compiled for it.
_HAS_EXPRESSIONS = bool(os.environ.get("OPWEAVE_TESTED_EXPRESSIONS"))
# What the names of the library's operators begin with; without one Opweave's own are tested.
_LIBRARY = os.environ.get("OPWEAVE_TESTED_LIBRARY")
_PREFIX = f"{_LIBRARY}::" if _LIBRARY else ""
_MISSING = re.compile(r"Could not run '([^']+)' on the '[^']+' target: it has no kernel there")
# A kernel that is there, and not for this dtype.
_OTHER_DTYPE = re.compile(rf"\"(\w+)\" not implemented for '\w+' on {TARGET}")
# What has its answer, or reads an argument, on the host wherever the rest is.
ON_HOST = {"to.device", "tensor_split.tensor_indices_or_sections"}


def _promised():
    """Names of operators that have to run on the target: kernels and expressions that are built for it."""
    kernels = {name for name, targets in KERNELS.items() if TARGET in targets}
    expressions = {o.full_name for o in (*OPERATORS, *INTERNAL) if o.reference is not None}
    return kernels | (expressions if _HAS_EXPRESSIONS else set())


PROMISED = _promised()


def is_promised(name):
    """Of an operator of the library, or of an in-place or `out` form that is derived from it."""
    if not name.startswith(_PREFIX):
        return False
    name = name.removeprefix(_PREFIX)
    base = name.rpartition(".")[0] if name.endswith("out") else name.removesuffix("_")
    return name in PROMISED or base in PROMISED


@contextlib.contextmanager
def called_there():
    """Inside, calls make tensors on the target, and what needs an operator that nobody promised for it is
    skipped, with its name."""
    try:
        with ow.device(TARGET):
            yield
    except NotImplementedError as error:
        missing = _MISSING.match(str(error)) or _OTHER_DTYPE.match(str(error))
        if missing is None or is_promised(missing[1]):
            raise
        pytest.skip(f"the target '{TARGET}' has no kernel of '{missing[1]}'")


def moved(values):
    """Arguments with their tensors on the target."""
    return mapped(ow, lambda t: t.to(TARGET), values)


def back(found):
    """Results of a call there, on the CPU; each tensor has to be on the target."""
    tensors = [r for r in found if isinstance(r, ow.Tensor)]
    assert all(t.device.type == TARGET for t in tensors), [str(t.device) for t in tensors]
    return [r.cpu() if isinstance(r, ow.Tensor) else r for r in found]
