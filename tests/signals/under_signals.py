"""Calls under signals: `under_signals.py long|short THREADS`. Prints the name of each before it is called."""

import sys

import opweave as ow
from disturbed import disturb
from long_calls import long_calls

PERIOD_US = 100


def short_calls():
    """Every sample of every operator."""
    from cases import CASES

    for case in CASES:
        if case.has_values and case.refusal is None:
            yield case.key, lambda case=case: case.results(case.fresh(case.values("float32")))


CALLS = {"long": (long_calls, 0.08), "short": (short_calls, 0.003)}


def takes_float(function):
    try:
        function()
    except Exception:
        return False
    return True


def main():
    kind, threads = sys.argv[1], int(sys.argv[2])
    ow.set_num_threads(threads)
    calls, seconds = CALLS[kind]
    here = others = 0
    for name, function in calls():
        print(name, flush=True)
        if kind == "short" and not takes_float(function):
            continue
        in_caller, in_pool = disturb(name, function, seconds, PERIOD_US)
        here, others = here + in_caller, others + in_pool
    print(f"{here} handlers here, {others} in other threads")
    assert here > 1000
    assert threads == 1 or others > 1000


main()
