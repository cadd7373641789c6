"""Compares Opweave with PyTorch, NumPy and oneDNN on one thread or several; prints ratios beside goals."""

import argparse
import gc
import json
import sys
import traceback
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import opweave
import torch
from measure import compare
from rows import Row, all_rows


@dataclass(frozen=True)
class Outcome:
    """A measured row, or why it could not be."""

    row: Row
    ours: float = 0.0
    theirs: float = 0.0
    error: str = ""

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs

    @property
    def verdict(self) -> str:
        if self.error:
            return f"error: {self.error}"
        return "ok" if self.ratio <= self.row.goal else "OVER"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="only rows whose name contains one of these")
    parser.add_argument("--threads", type=int, default=1, help="of both sides")
    parser.add_argument("--list", action="store_true", help="print the names and stop")
    parser.add_argument("--json", type=Path, help="write the measurements here, too")
    parser.add_argument("--trace", action="store_true", help="print the tracebacks of errors")
    return parser.parse_args()


def run_row(row: Row, trace: bool) -> Outcome:
    gc.collect()
    try:
        timing = compare(row.prepare())
    except Exception as error:
        if trace:
            traceback.print_exc()
        return Outcome(row, error=f"{type(error).__name__}: {error}".splitlines()[0])
    return Outcome(row, timing.ours, timing.theirs)


def duration(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def amount(value: float, unit: str) -> str:
    return duration(value) if unit == "s" else f"{value:.3g} {unit}"


def columns(name: str, ours: str, theirs: str, against: str, *figures: str) -> str:
    return f"{name:46} {ours:>8} {theirs:>8}  {against:15} " + " ".join(f"{f:>6}" for f in figures)


HEADER = columns("", "ours", "theirs", "against", "ratio", "goal", "aim")


def line(outcome: Outcome) -> str:
    row = outcome.row
    goal = f"{row.goal:g}"
    if outcome.error:
        measured = columns(row.name, "", "", row.against, "", goal, row.aim)
    else:
        times = amount(outcome.ours, row.unit), amount(outcome.theirs, row.unit)
        ratio = f"{outcome.ratio:.3f}"
        measured = columns(row.name, *times, row.against, ratio, goal, row.aim)
    return f"{measured}  {outcome.verdict}"


def selected(names: list[str]) -> list[Row]:
    rows = all_rows()
    return [row for row in rows if not names or any(name in row.name for name in names)]


def use_threads(number: int) -> None:
    opweave.set_num_threads(number)
    torch.set_num_threads(number)


def save(path: Path, outcomes: list[Outcome]) -> None:
    fields = ("name", "against", "goal", "aim")
    records = [
        {field: getattr(o.row, field) for field in fields}
        | {key: value for key, value in asdict(o).items() if key != "row"}
        for o in outcomes
    ]
    path.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    options = arguments()
    rows = selected(options.names)
    if options.list:
        print(*(row.name for row in rows), sep="\n")
        return 0
    use_threads(options.threads)
    print(
        f"PyTorch {torch.__version__}, NumPy {np.__version__}, threads: {options.threads}; "
        "ratios of the best times"
    )
    print(HEADER)
    outcomes = []
    for row in rows:
        outcomes.append(run_row(row, options.trace))
        print(line(outcomes[-1]), flush=True)
    good = sum(outcome.verdict == "ok" for outcome in outcomes)
    print(f"{good} of {len(outcomes)} rows within their goal")
    if options.json:
        save(options.json, outcomes)
    return int(any(outcome.error for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
