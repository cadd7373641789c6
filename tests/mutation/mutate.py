"""Which mistakes in formulas the tests notice: `./dev mutate`; see docs/mutation.md."""

import argparse
import os
import sys
from pathlib import Path

import mutants
import opweave  # noqa: F401  loads the library
import pytest
from campaign import Campaign
from report import Result

HERE = Path(__file__).parent
# The tests of single operators against references, of their derivatives and batches, and of their functions.
TESTS = (
    "generated/test_*.py",
    "reference/test_reference_*.py",
    "autograd/test_*.py",
    "func/test_*.py",
    "functions/test_*.py",
    "nn/test_*.py",
    "tensor/test_tensor.py",
)
GOAL = 0.97


def say(text):
    print(text, file=sys.stderr, flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev mutate", description=__doc__)
    parser.add_argument("operators", nargs="*", help="base or full names; all if none is given")
    parser.add_argument("--report", help="where to write the fate of every mutant, as JSON")
    parser.add_argument("--where", default="", help="only mutants whose place starts with this")
    parser.add_argument("--tests-per-mutant", type=int, default=1000)
    parser.add_argument("--seconds-per-mutant", type=int, default=60)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    return parser.parse_args()


def chosen(all_mutants, arguments):
    names = set(arguments.operators)
    unknown = names - {n for m in all_mutants for n in (m.operator, m.operator.split(".")[0])}
    if unknown:
        raise SystemExit(f"no operator with mutants is called {', '.join(sorted(unknown))}")
    return [
        m
        for m in all_mutants
        if (not names or m.operator in names or m.operator.split(".")[0] in names)
        and m.where.startswith(arguments.where)
    ]


def main():
    arguments = parse_arguments()
    all_mutants = mutants.load(HERE / "mutants.json")
    switch = mutants.Switch(mutants.loaded_library(), len(all_mutants))
    campaign = Campaign(
        chosen(all_mutants, arguments),
        switch,
        tests_per_mutant=arguments.tests_per_mutant,
        seconds_per_mutant=arguments.seconds_per_mutant,
        workers=arguments.workers,
        say=say,
    )
    root = HERE.parent.parent
    files = [
        str(path) for pattern in TESTS for path in sorted((HERE.parent / "python").glob(pattern))
    ]
    options = ["-p", "no:cacheprovider", "-p", "no:terminal", "-c", str(root / "pyproject.toml")]
    pytest.main([*options, "--rootdir", str(root), *files], plugins=[campaign])
    if campaign.broken:
        say(
            "these tests fail without a mutant and are left out:\n  " + "\n  ".join(campaign.broken)
        )
    equivalent = mutants.load_equivalent(HERE / "equivalent.json")
    result = Result(campaign.mutants, campaign.noticed_by, campaign.reached, equivalent)
    print(result.text())
    if arguments.report:
        Path(arguments.report).write_text(result.as_json())
    fine = not (result.survivors or result.refuted or campaign.broken)
    return 0 if fine and result.share >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
