"""Records what PyTorch gives for broken calls (breaks.py). Runs in a Python that has PyTorch.

Every call runs in a child process: some end it.
"""

import contextlib
import json
import os
import signal
import warnings

import torch

from reference.breaks import REFUSED, Breaks, described
from reference.record_samples import load, overload

SECONDS = 20  # a call that takes longer has no answer


def outcome(calls, operator, values):
    positional, keywords = calls.split(operator, values)
    torch.manual_seed(7)
    try:
        return described(torch, calls, operator, overload(operator)(*positional, **keywords))
    except Exception:
        return REFUSED


def answers(calls, operator, sample, after):
    """Writes the outcomes of the calls behind the first `after` to a pipe, from a child process."""
    read, write = os.pipe()
    pid = os.fork()
    if pid:
        os.close(write)
        with os.fdopen(read) as pipe:
            lines = pipe.read().splitlines()
        os.waitpid(pid, 0)
        return [json.loads(line) for line in lines]
    with os.fdopen(write, "w") as pipe:
        for name, values in list(Breaks(torch, calls, operator, sample).all())[after:]:
            signal.alarm(SECONDS)
            pipe.write(json.dumps([name, outcome(calls, operator, values)]) + "\n")
            pipe.flush()
    os._exit(0)


def of_sample(calls, operator, sample):
    """{name: outcome}; none of what ends the process or does not end."""
    names = [name for name, _ in Breaks(torch, calls, operator, sample).all()]
    found, done = dict.fromkeys(names), 0
    while done < len(names):
        lines = answers(calls, operator, sample, done)
        found.update(lines)
        done += len(lines) + 1
    return found


def has(operator):
    """Whether PyTorch has an operator of these arguments."""
    with contextlib.suppress(AttributeError):
        schema = overload(operator)._schema
        return [a.name for a in schema.arguments] == [a.name for a in operator.arguments]
    return False


def record(report):
    """{call: {broken: what its results look like, or that it is refused}}."""
    warnings.simplefilter("ignore")
    operators, calls = load()
    found = {}
    for operator in operators:
        if not has(operator):
            continue
        for sample in operator.samples:
            found[f"{operator.full_name}({calls.label(sample)})"] = of_sample(
                calls, operator, sample
            )
    report(f"  {sum(map(len, found.values()))} broken calls")
    return found
