"""Which dtypes operators take whose entries do not say: kernels/dtypes.txt, for the reference documentation.

With OPWEAVE_UPDATE in the environment the file is written (`./dev lock`).
"""

import os
from pathlib import Path

from calls import has_dtype
from cases import CASES
from reference.dtypes import COMMON, DTYPES, FLOATING

FILE = Path("kernels/dtypes.txt")
HEADER = """\
# The dtypes that operators take whose entries do not limit them: in which a sample call of theirs runs on the
# CPU. Written by tests/python/generated/test_dtypes.py (`./dev lock`); the reference documentation shows it.
"""


def runs(case, dtype):
    try:
        case.run(case.values(dtype))
    except (
        RuntimeError,
        TypeError,
        ValueError,
        OverflowError,
        IndexError,
    ):  # NotImplementedError is a RuntimeError
        return False
    return True


def is_probed(operator):
    """Expressions are generated for the dtypes of their entries."""
    return operator.reference is None and operator.dtypes == list(COMMON)


def telling(cases):
    """Calls that do not ask for another dtype, where there are such."""
    return [case for case in cases if case.sample.get("dtype") is None] or cases


def found():
    cases = {}
    for case in CASES:
        if is_probed(case.operator) and has_dtype(case.sample):
            cases.setdefault(case.operator.full_name, []).append(case)
    return {
        name: [d for d in DTYPES if any(runs(case, d) for case in telling(cases[name]))]
        for name in sorted(cases)
    }


def test_dtypes_of_kernels():
    dtypes = found()
    text = HEADER + "".join(f"{name}: {', '.join(taken)}\n" for name, taken in dtypes.items())
    if os.environ.get("OPWEAVE_UPDATE"):
        FILE.resolve().write_text(text)
    assert len(dtypes) > 150
    assert all(dtypes.values())
    assert dtypes["mm"] == [d for d in DTYPES if d != "bool" and (d in COMMON or d in FLOATING)]
    assert dtypes["softmax.int"] == ["float16", "bfloat16", "float32", "float64"]
    assert dtypes["kron"] == list(DTYPES)
    assert FILE.read_text() == text, "`./dev lock` writes it anew"
