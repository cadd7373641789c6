"""Records which calls at the edge (edges.py) PyTorch takes. Runs in a Python that has PyTorch."""

import torch

from reference.edges import Edges
from reference.record_samples import load
from reference.samples import listed

# Those of PyTorch that write past the end of an `out` of another dtype: they spoil what comes afterwards.
CORRUPTING = frozenset(["fractional_max_pool2d", "narrow_copy"])


def functions(operator):
    """Where PyTorch may have a function of the operator's name."""
    homes = [torch, torch._C._nn, torch.linalg, torch.special]
    return [getattr(h, operator.name) for h in homes if hasattr(h, operator.name)]


def runner(calls, operator):
    """A function that calls the operator as Python does; None if PyTorch has none."""
    found = functions(operator)

    def run(values, **extra):
        given = listed(values, operator)
        if found:
            positional, keywords = calls.split(operator, given)
            return found[0](*positional, **keywords, **extra)
        return calls.call(torch, operator, given, as_method=True, **extra)

    return run if found or (operator.method and hasattr(torch.Tensor, operator.name)) else None


def record(report):
    """{call: {edge: taken or refused}}."""
    operators, calls = load()
    answers = {}
    for operator in operators:
        run = runner(calls, operator)
        if run is None or operator.name in CORRUPTING:
            continue
        for sample in operator.samples:
            edges = Edges(torch, calls, operator, sample, run)
            found = edges.outcomes(lambda: torch.manual_seed(7))
            if found:
                answers[f"{operator.full_name}({calls.label(sample)})"] = found
    report(f"  {sum(map(len, answers.values()))} calls at the edge")
    return answers
