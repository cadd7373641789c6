"""Records what PyTorch gives of numbers beside tensors of 16 bits (narrow.py). Runs in a Python that has
PyTorch."""

import warnings

import torch

from reference.narrow import DTYPES, Narrow, same
from reference.record_samples import load
from reference.record_specials import runner


def answers(narrow, dtype):
    """None for each element of which PyTorch has two, one for vectors and one for each number; None of calls
    that are not pointwise."""
    points = narrow.points(dtype)
    try:
        found = narrow.answers(points * 8, dtype)
        alone = [narrow.answers([p], dtype) for p in points]
    except (RuntimeError, TypeError, ValueError, LookupError, AttributeError):
        return None
    if len(found) != 8 * len(points) or any(len(a) != 1 for a in alone):
        return None
    pairs = zip(found, alone, strict=False)
    return [float(a) if same(a, one[0]) else None for a, one in pairs]


def record(report):
    """{call: {dtype: elements}} of pointwise operators that take numbers."""
    warnings.simplefilter("ignore")
    operators, calls = load()
    table = {}
    for operator in operators:
        if operator.writes or "random" in operator.tags:
            continue
        for sample in operator.samples:
            narrow = Narrow(torch, calls, operator, sample, runner(calls, operator))
            key = f"{operator.full_name}({narrow.key})"
            if key in table or not narrow.is_possible:
                continue
            found = {d: a for d in DTYPES if (a := answers(narrow, d)) is not None}
            if found:
                table[key] = found
    report(f"  {sum(len(a) for t in table.values() for a in t.values())} numbers beside 16 bits")
    return table
