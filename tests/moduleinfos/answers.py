"""Answers to a sample of a layer or an optimizer, and how two of them differ."""

import warnings

import judge
import layers
import optimizers

STEPS = {"layer": layers.steps, "optimizer": optimizers.steps}


def answer(module, sample):
    """{what: plain data}; "error" is what ends the steps: names of an exception and its bases, words."""
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            for what, value in STEPS[sample["kind"]](module, sample):
                found[what] = value
        except Exception as error:
            found["error"] = ("error", [kind.__name__ for kind in type(error).__mro__], str(error))
    return found


def _is_zero(value):
    return value is None or not judge.numbers(value).any()


def _parts(want, got):
    """Each part of both with its name. Gradients that are zero need not be there, and lie in any way."""
    for what in [key for key in want if key != "error"]:
        theirs, ours = want[what], got.get(what)
        if not what.startswith("gradient"):
            yield what, theirs, ours
        elif theirs is not None and ours is not None:
            yield what, {**theirs, "stride": ours["stride"]}, ours
        elif not _is_zero(theirs) or not _is_zero(ours):
            yield what, theirs, ours


def differences(want, got):
    """Of an answer from PyTorch's: pairs of a kind and words."""
    value = ("value", None, [], None)
    ends = want.get("error", value), got.get("error", value)
    # Some of PyTorch's derivatives have none: an answer ends there, and ours goes on.
    if ends[0] is value or "gradient 1 of 0" not in want:
        yield from judge.differences(*ends)
    for what, theirs, ours in _parts(want, got):
        if "error" in got and what not in got:
            break
        for kind, words in judge.results(theirs, ours):
            yield kind, f"{what}: {words}"
