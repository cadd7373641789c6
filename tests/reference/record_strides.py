"""Records how PyTorch's results lie in memory (strides.py). Runs in a Python that has PyTorch."""

import torch

from reference.record_edges import runner
from reference.record_samples import load
from reference.strides import Strides


def record(report):
    """{call: {layout of the arguments: the strides of the results}}."""
    operators, calls = load()
    answers = {}
    for operator in operators:
        run = runner(calls, operator)
        for sample in operator.samples if run else ():
            if found := Strides(torch, calls, operator, sample, run).answers():
                answers[f"{operator.full_name}({calls.label(sample)})"] = found
    report(f"  {sum(map(len, answers.values()))} calls with arguments of several layouts")
    return answers
