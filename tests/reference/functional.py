"""Signatures of nn.functional: recorded from PyTorch, and compared."""

import inspect
import re


def _documented(function):
    """Builtin functions say their signature in the first line of their documentation."""
    found = re.match(r"\s*\w+\((.*?)\)\s*->", function.__doc__ or "", re.DOTALL)
    if not found:
        return None
    parts = [p.strip() for p in found[1].split(",") if p.strip() != "*"]
    return [[p.strip() for p in part.split("=", 1)] for part in parts]


def parameters(function):
    """[name] or [name, default] of each parameter; None where nobody says."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    empty = inspect.Parameter.empty
    return [
        [p.name] if p.default is empty else [p.name, repr(p.default)]
        for p in signature.parameters.values()
    ]


def record(torch):
    module = torch.nn.functional
    answers = {}
    for name, function in vars(module).items():
        if name.startswith("_") or getattr(function, "__module__", "") == "typing":
            continue
        if not callable(function) or inspect.isclass(function):
            continue
        if parameters(function) == [["args"], ["kwargs"]]:  # chooses between two functions
            function = getattr(module, name + "_with_indices", function)
        if own := parameters(function):
            answers[name] = {"parameters": own}
        elif told := _documented(function):
            answers[name] = {"documented": told}
    return answers
