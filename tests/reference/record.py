"""Records PyTorch's answers to the reference cases; runs in a Python that has PyTorch.

Each table becomes data/TABLE.json: one line per case, sorted, so that another PyTorch shows as a
diff of its answers. A case that PyTorch cannot run in some dtype leaves no answer there; a case
without any answer is listed.
"""

import argparse
import json
import sys
from pathlib import Path

import torch

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from reference import (  # noqa: E402
    channels_last,
    event_files,
    functional,
    no_checkpoints,
    old_states,
    promotion,
    random_numbers,
    record_autocast,
    record_breaks,
    record_distributed,
    record_edges,
    record_files,
    record_narrow,
    record_outs,
    record_samples,
    record_specials,
    record_strides,
    runner,
    seen_calls,
    state_search,
    table,
    testing_messages,
)

# Tables whose module has all that is recorded.
RECORDING = (event_files, no_checkpoints, old_states, state_search)


def attempt(function, *arguments):
    """The answer and no error, or no answer and the error."""
    try:
        return function(torch, *arguments), None
    except Exception as error:
        return None, error


def record_case(case):
    """Answers of a case: by dtype, and its first and second gradients."""
    found = {dtype: attempt(runner.answer, case, dtype) for dtype in case.dtypes}
    answers = {dtype: value for dtype, (value, error) in found.items() if not error}
    for value in answers.values():
        value.pop("message", None)  # the texts of our errors are our own
    if case.raises and not all("error" in a for a in answers.values()):
        raise SystemExit(f"PyTorch raises no error: {case.id}")
    if not answers:
        error = next(iter(found.values()))[1]
        print(f"  no answer: {case.id}: {type(error).__name__}: {str(error).splitlines()[0]}")
    if case.grad and "float64" in answers and not case.raises:
        for order, function in (("gradient", runner.gradient), ("second", runner.second_gradient)):
            value, _ = attempt(function, case)
            if value is not None:
                answers[order] = value
    return answers


def write(name, answers):
    """One JSON object with one line per key."""
    lines = (
        f"{json.dumps(key)}: {json.dumps(answers[key], separators=(',', ':'))}"
        for key in sorted(answers)
    )
    path = HERE / "data" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{name}: {len(answers)} cases, {path.stat().st_size / 1024:.0f} KiB")


def record_table(name):
    cases = table.load(name)
    answers = {key: record_case(case) for key, case in cases.items()}
    write(name, answers)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "tables",
        nargs="*",
        default=[
            *table.TABLES,
            "functional",
            "promotion",
            "samples",
            "outsiders",
            "edges",
            "outs",
            "strides",
            "breaks",
            "specials",
            "narrow",
            "distributed",
            "files",
            "autocast",
            "random_numbers",
            "testing_messages",
            "seen_calls",
            "channels_last",
            "event_files",
            "no_checkpoints",
            "old_states",
            "state_search",
        ],
    )
    torch.set_num_threads(1)
    for name in parser.parse_args().tables:
        if name == "functional":
            write(name, functional.record(torch))
        elif name == "promotion":
            write(name, promotion.record(torch))
        elif name == "samples":
            write(name, record_samples.record(print))
        elif name == "outsiders":
            write(name, record_samples.record_outsiders(print))
        elif name == "edges":
            write(name, record_edges.record(print))
        elif name == "outs":
            write(name, record_outs.record(print))
        elif name == "strides":
            write(name, record_strides.record(print))
        elif name == "breaks":
            write(name, record_breaks.record(print))
        elif name == "specials":
            write(name, record_specials.record(print))
        elif name == "narrow":
            write(name, record_narrow.record(print))
        elif name == "files":
            record_files.record(torch, print)
        elif name == "random_numbers":
            write(name, random_numbers.record(torch))
        elif name == "testing_messages":
            write(name, testing_messages.record(torch))
        elif name == "seen_calls":
            write(name, seen_calls.record(torch, torch.overrides))
        elif name == "channels_last":
            write(name, channels_last.record(torch))
        elif name == "autocast":
            write(name, record_autocast.record(print))
        elif name in (by_name := {m.__name__.split(".")[-1]: m for m in RECORDING}):
            write(name, by_name[name].record(torch))
        elif name == "distributed":
            write(name, record_distributed.record(print))
        else:
            record_table(name)


if __name__ == "__main__":
    main()
