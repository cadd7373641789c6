"""Records what PyTorch's operators compute in under autocast: the dtypes of the results of the sample calls.

On the CPU with bfloat16, on others with float16 (CUDA, whose tensors have no elements here). Each call is
made with its tensors in float32 (`full`), in the dtype of the region (`lower`), and with the first one in
float32 and the others not (`mixed`).
"""

import warnings

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from reference.record_samples import flat, load, overload
from reference.samples import listed

LOWER = {"cpu": "bfloat16", "others": "float16"}
KINDS = {"cpu": "cpu", "others": "cuda"}


def dtypes_of(results):
    """The dtypes of tensors, the types of the rest."""
    return [
        str(r.dtype).removeprefix("torch.") if isinstance(r, torch.Tensor) else type(r).__name__
        for r in results
    ]


def given(calls, sample, way, lower):
    """The arguments of a call; see above."""
    values, first = {}, True
    for name, value in sample.items():
        dtype = lower
        if calls.takes_dtype(value):
            dtype = "float32" if way == "full" or (way == "mixed" and first) else lower
            first = False
        values[name] = calls.build(torch, value, name, dtype)
    return values


def attempt(calls, operator, values, device, enabled):
    """The dtypes of the results, or "refused"."""
    moved = calls.mapped(torch, lambda t: t.to(device), values)
    positional, keywords = calls.split(operator, listed(moved, operator))
    before = torch.is_autocast_enabled(device)
    torch.set_autocast_enabled(device, enabled)
    try:
        return dtypes_of(calls.results(torch, overload(operator)(*positional, **keywords)))
    except Exception:
        return "refused"
    finally:
        torch.set_autocast_enabled(device, before)


def answer(calls, operator, sample, kind):
    """{way: dtypes} of what autocast changes."""
    found = {}
    with FakeTensorMode(allow_non_fake_inputs=True) if kind == "others" else torch.no_grad():
        for way in ("full", "lower", "mixed"):
            values = given(calls, sample, way, LOWER[kind])
            outside = attempt(calls, operator, values, KINDS[kind], False)
            inside = attempt(calls, operator, values, KINDS[kind], True)
            if inside != outside:
                found[way] = inside
    return found


def record(report):
    """{call: {kind of device: {way: dtypes}}}, of the calls for which autocast changes something."""
    warnings.simplefilter("ignore")
    operators, calls = load()
    answers = {}
    for operator in operators:
        if {"random", "nondeterministic"} & set(operator.tags) or operator.writes:
            continue
        for sample in filter(calls.has_dtype, operator.samples):
            found = {kind: answer(calls, operator, sample, kind) for kind in KINDS}
            if found := {kind: ways for kind, ways in found.items() if ways}:
                answers[f"{operator.full_name}({calls.label(sample)})"] = found
    report(f"  autocast changes {len(flat(list(answers)))} calls")
    return answers
