"""Broken sample calls of operators of Opweave and of their twins in the library `refusing`: prints, as JSON,
[operator, call, break, what Opweave says, what the twin says] of each that Opweave or its twin refuses.

"accepted" is what the twin's kernel says, and stands for an answer of Opweave.
"""

import importlib
import json

import calls
import opweave as ow
from broken import key, overload
from operators import INTERNAL, OPERATORS
from reference.breaks import Breaks

PREFIX = "zz"
REFUSALS = (RuntimeError, TypeError, ValueError, IndexError, OverflowError, NotImplementedError)


def twin(operator):
    """The library's form of an operator, or None."""
    name, _, form = operator.full_name.partition(".")
    packet = getattr(ow.ops.refusing, PREFIX + name, None)
    return packet and getattr(packet, form or "default", None)


def elsewhere(operator, sample):
    """Calls with one tensor, or the tensors of one list, on another device than the others."""
    for argument in operator.arguments:
        values = calls.arguments(ow, sample)
        if not calls.tensors(ow, values.get(argument.name)):
            continue
        moved = calls.mapped(ow, lambda t: t.to("meta"), values[argument.name])
        if len(calls.tensors(ow, values)) > len(calls.tensors(ow, moved)):
            yield f"{argument.name}: meta", {**values, argument.name: moved}


def said(call, operator, values):
    """What a call is told: the error's text, or "accepted"."""
    positional, keywords = calls.split(operator, values)
    ow.manual_seed(7)
    try:
        call(*positional, **keywords)
    except REFUSALS as error:
        text = f"{type(error).__name__}: {error}".replace(f"refusing::{PREFIX}", "").replace(
            PREFIX, ""
        )
        return "accepted" if text == "RuntimeError: accepted" else text
    return "accepted"


def compared():
    for operator in (*OPERATORS, *INTERNAL):
        if (other := twin(operator)) is None:
            continue
        for sample in operator.samples:
            breaks = [*Breaks(ow, calls, operator, sample).all(), *elsewhere(operator, sample)]
            for name, values in breaks:
                yield (
                    operator.full_name,
                    key(operator, sample),
                    name,
                    *(said(call, operator, values) for call in (overload(operator), other)),
                )


importlib.import_module("refusing")  # registers the twins
print(json.dumps(list(compared())))
