"""Every operator under autocast on the CPU: dtypes of results are those that PyTorch gives, of float32
tensors, of those in the dtype of the region, and of both together."""

import json
from pathlib import Path

import opweave as ow
import pytest
import reference
from calls import build, call, has_dtype, results, takes_dtype
from cases import CASES

ANSWERS = json.loads((Path(reference.__file__).parent / "data/autocast.json").read_text())
LOWER = "bfloat16"
WAYS = ("full", "lower", "mixed")
# What is given otherwise than recorded, and why: (operator, way) -> dtypes.
TAKEN = {  # PyTorch compares dtypes before it casts
    ("tensordot", "mixed"): ["bfloat16"],
    ("inner", "mixed"): ["bfloat16"],
    ("bilinear", "mixed"): ["float32"],
}
COMPOSED = {  # of other operators than PyTorch's, which are cast on the way
    ("pad", "lower"): ["bfloat16"],
    ("max_pool3d_with_indices", "lower"): ["float32", "int64"],
    ("lp_pool3d", "lower"): ["float32"],
}
# Of which PyTorch has a function and no operator that could be asked: tests/python/amp knows its answers.
FUNCTIONS = {
    (name, "lower"): ["float32"]
    for name in ("local_response_norm", "max_unpool1d", "max_unpool2d", "max_unpool3d")
}


def arguments(sample, way):
    values, first = {}, True
    for name, value in sample.items():
        dtype = LOWER
        if takes_dtype(value):
            dtype = "float32" if way == "full" or (way == "mixed" and first) else LOWER
            first = False
        values[name] = build(ow, value, name, dtype)
    return values


def dtypes(case, way, enabled):
    """The dtypes of the results, or "refused"."""
    with ow.autocast("cpu", enabled=enabled):
        try:
            found = results(ow, call(ow, case.operator, arguments(case.sample, way)))
        except (RuntimeError, NotImplementedError, TypeError, ValueError):
            return "refused"
    return [
        str(r.dtype).rpartition(".")[2] if isinstance(r, ow.Tensor) else type(r).__name__
        for r in found
    ]


def recorded():
    """Calls of operators whose dtypes PyTorch changes, and of all whose entries say `autocast`."""
    return [
        pytest.param(case, way, id=f"{case.key}-{way}")
        for case in CASES
        if not {"random", "nondeterministic"} & set(case.operator.tags)
        and not case.operator.writes
        and has_dtype(case.sample)
        for way in WAYS
        if case.key in ANSWERS or way == "lower"
    ]


@pytest.mark.parametrize(("case", "way"), recorded())
def test_results_have_the_recorded_dtypes(case, way):
    found = dtypes(case, way, enabled=True)
    ours = {**TAKEN, **COMPOSED, **FUNCTIONS}.get((case.operator.full_name, way))
    outside = dtypes(case, way, enabled=False)
    assert found == ANSWERS.get(case.key, {}).get("cpu", {}).get(way, outside) or found == ours
