"""Records PyTorch's answers to the sample calls of ops.yaml: what the generated tests compare with.

Runs in a Python that has PyTorch, after `./dev gen`: the calls are in the generated table of operators.
"""

import contextlib
import sys
from pathlib import Path

import torch

from reference.dtypes import COMMON
from reference.dtypes import DTYPES as EVERY
from reference.samples import listed, weights

ROOT = Path(__file__).parents[2]
# Elements are recorded in these dtypes; of the others which ones PyTorch has, and what they become.
VALUES = ("float64", "int64", "bool")
DTYPES = (*VALUES, *(d for d in COMMON if d not in VALUES))
OUTSIDERS = tuple(d for d in EVERY if d not in COMMON)


def load():
    """(operators, the module that makes their calls)."""
    sys.path[:0] = [
        str(ROOT / "tests/python/generated"),
        str(ROOT / "bazel-bin/generated/opweave/tests"),
    ]
    import calls
    from operators import OPERATORS

    return OPERATORS, calls


def overload(operator):
    """PyTorch's operator of this name, or what it calls by the operator's name in Python."""
    base, _, name = operator.full_name.partition(".")
    if hasattr(torch.ops.aten, base):
        packet = getattr(torch.ops.aten, base)
        if (name or "default") in packet.overloads():
            found = getattr(packet, name or "default")
            if _takes_words_of(found, operator) and _takes_as_many(found, operator):
                return found
    return getattr(torch if hasattr(torch, operator.name) else torch.Tensor, operator.name)


def _takes_words_of(found, operator):
    """Whether the operator takes texts where ours does: where it takes numbers, Python's function does."""
    words = {a.name for a in operator.arguments if a.type.startswith("str")}
    return all("str" in str(a.type) for a in found._schema.arguments if a.name in words)


def _takes_as_many(found, operator):
    """Whether it has all arguments that ours has; else an overload of more has them, which Python finds."""
    ours = [a for a in operator.arguments if a.name == "padding_idx"]
    return all(a.name in {b.name for b in found._schema.arguments} for a in ours)


def flat(values):
    return [x for v in values for x in flat(v)] if isinstance(values, list) else [values]


def number(value):
    return value if not isinstance(value, float) or value != value else float(f"{value:.13g}")


def encode(value):
    if not isinstance(value, torch.Tensor):
        return number(value)
    dtype = str(value.dtype).removeprefix("torch.")
    return {
        "dtype": dtype,
        "shape": list(value.shape),
        "values": [number(v) for v in flat(value.tolist())],
    }


class Recorder:
    def __init__(self, calls, operator, sample):
        self.calls, self.operator, self.sample = calls, operator, sample

    def run(self, values):
        given = listed(values, self.operator)
        positional, keywords = self.calls.split(self.operator, given)
        found = self.calls.results(torch, overload(self.operator)(*positional, **keywords))
        written = {n: values[n] for n in self.operator.writes if n in values}
        return found if self.operator.returns else self.calls.tensors(torch, written)

    def values(self, dtype):
        return self.calls.arguments(torch, self.sample, dtype)

    def answers(self):
        """{dtype: results}, of dtypes whose elements are not recorded their dtypes."""
        found, error = {}, None
        for dtype in DTYPES if self.calls.has_dtype(self.sample) else ("float64",):
            try:
                results = [encode(r) for r in self.run(self.values(dtype))]
            except Exception as e:
                error = error or e
                continue
            found[dtype] = results if dtype in VALUES else self.dtypes(results)
        if not found:
            raise error
        return found

    @staticmethod
    def dtypes(results):
        return [r["dtype"] if isinstance(r, dict) else type(r).__name__ for r in results]

    def gradients(self):
        """{argument: gradients of its tensors} of the weighted sum of the results. An argument that
        PyTorch does not differentiate by has none."""
        found = {}
        for name in self.sample:
            if not self.calls.takes_dtype(self.sample[name]):
                continue
            try:
                found[name] = self.gradient(name)
            except RuntimeError:
                continue
        return found

    def gradient(self, name):
        values = self.values("float64")
        leaves = self.calls.tensors(torch, {name: values[name]})
        for leaf in leaves:
            leaf.requires_grad_()
        copies = self.calls.mapped(torch, lambda t: t.clone(), values)
        found = enumerate(self.run(copies))
        smooth = [(i, r) for i, r in found if i not in self.operator.constant_results]
        pairs = [
            (r, start(r, i)) for i, r in smooth if isinstance(r, torch.Tensor) and r.requires_grad
        ]
        grads = torch.autograd.grad(
            [r for r, _ in pairs], leaves, [s for _, s in pairs], allow_unused=True
        )
        # The copy gives memory to what PyTorch keeps as a zero without any.
        return [
            encode(torch.zeros(x.shape, dtype=x.dtype).copy_(0 if g is None else g))["values"]
            for g, x in zip(grads, leaves, strict=True)
        ]


def start(result, i):
    """The gradient of result `i` that the backward pass starts from."""
    return torch.tensor(weights(tuple(result.shape), str(i)), dtype=result.dtype).reshape(
        result.shape
    )


def record_outsiders(report):
    """{call: {dtype: dtypes of the results}} of the dtypes that do not promote with all others."""
    operators, calls = load()
    answers = {}
    for operator in operators:
        if {"random", "nondeterministic"} & set(operator.tags):
            continue
        for sample in filter(calls.has_dtype, operator.samples):
            recorder = Recorder(calls, operator, sample)
            taken = {}
            for dtype in OUTSIDERS:
                with contextlib.suppress(Exception):
                    results = [encode(r) for r in recorder.run(recorder.values(dtype))]
                    taken[dtype] = recorder.dtypes(results)
            answers[f"{operator.full_name}({calls.label(sample)})"] = taken
    report(f"  {sum(map(bool, answers.values()))} calls take one of {', '.join(OUTSIDERS)}")
    return answers


def record(report):
    operators, calls = load()
    answers = {}
    for operator in operators:
        if {"random", "nondeterministic"} & set(operator.tags):
            continue
        for sample in operator.samples:
            recorder = Recorder(calls, operator, sample)
            key = f"{operator.full_name}({calls.label(sample)})"
            try:
                answers[key] = recorder.answers()
            except Exception as error:
                report(f"  no answer: {key}: {type(error).__name__}: {str(error).splitlines()[0]}")
                continue
            if operator.differentiable and (gradients := recorder.gradients()):
                answers[key]["gradients"] = gradients
    return answers
