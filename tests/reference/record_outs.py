"""Records which dtypes of `out` (outs.py) PyTorch takes. Runs in a Python that has PyTorch."""

import torch

from reference.outs import Outs
from reference.record_edges import runner
from reference.record_samples import load


def record(report):
    """{call: {dtype of the arguments: dtypes of `out` that are taken}}."""
    operators, calls = load()
    answers = {}
    for operator in operators:
        run = runner(calls, operator) if operator.out and operator.function else None
        if run is None:
            continue
        for sample in operator.samples:
            if found := Outs(torch, calls, operator, sample, run).answers():
                answers[f"{operator.full_name}({calls.label(sample)})"] = found
    report(f"  {len(answers)} calls with `out`")
    return answers
