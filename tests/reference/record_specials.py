"""Records what PyTorch gives at special points (specials.py). Runs in a Python that has PyTorch."""

import warnings

import torch

from reference.record_samples import load, number, overload
from reference.samples import listed
from reference.specials import Specials, close


def runner(calls, operator):
    def run(values):
        positional, keywords = calls.split(operator, listed(values, operator))
        return overload(operator)(*positional, **keywords)

    return run


def agreed(found, alone):
    """The elements; None where PyTorch has two answers, one for vectors and one for each number."""
    pairs = zip(found, alone, strict=True)
    return [number(a) if close(a, one[0]) else None for a, one in pairs]


def answers(specials):
    """What a pointwise call gives; None of others, whose elements depend on one another."""
    points = specials.points()
    try:
        found = specials.answers(points)
        alone = [specials.answers([p]) for p in points]
        if len(found["value"][""]) != len(points):
            return None
        found = {
            kind: {
                name: agreed(v, [one[kind][name] for one in alone]) for name, v in by_name.items()
            }
            for kind, by_name in found.items()
        }
    except (RuntimeError, TypeError, ValueError, LookupError, AttributeError):
        return None
    return found if "gradient" in found and None not in found["value"][""] else None


def record(report):
    """{call: {kind: {argument: elements}}} of differentiable pointwise operators."""
    warnings.simplefilter("ignore")
    operators, calls = load()
    table = {}
    for operator in operators:
        if not operator.differentiable or operator.writes or "random" in operator.tags:
            continue
        for sample in operator.samples:
            specials = Specials(torch, calls, sample, runner(calls, operator))
            key = f"{operator.full_name}({specials.key})"
            if key in table or not specials.is_possible:
                continue
            if (found := answers(specials)) is not None:
                table[key] = found
    report(f"  {sum(len(t['value']['']) for t in table.values())} special points")
    return table
