"""What printed kernels give beside what Opweave gives for the same calls."""

import numpy as np
import opweave as ow
from c_derivatives import backward, forward
from printer import C_TYPES
from samples import calls, special_call

TOLERANCE = {"float32": 3e-5, "float64": 1e-8}


def opweave_operator(name):
    base, _, overload = name.partition(".")
    return getattr(getattr(ow.ops, base), overload or "default")


def as_opweave(value, base):
    """An argument of that type."""
    if isinstance(value, list):
        return [as_opweave(item, base) for item in value]
    if isinstance(value, str) and base not in ("str", "Device"):
        return getattr(ow, value)
    return ow.from_numpy(value.copy()) if isinstance(value, np.ndarray) else value


def opweave_values(operator, values, tensors=None):
    """(arguments by position, by name), arrays as tensors, or as those that are given by place."""
    arguments = operator["schema"]["arguments"]
    made = [as_opweave(v, a["type"]["base"]) for a, v in zip(arguments, values, strict=True)]
    made = [(tensors or {}).get(place, value) for place, value in enumerate(made)]
    named = [*zip(arguments, made, strict=True)]
    positional = [v for a, v in named if not a.get("keyword_only")]
    return positional, {a["name"]: v for a, v in named if a.get("keyword_only")}


def run_opweave(operator, values):
    """The result, or None where Opweave refuses the call in this dtype."""
    positional, named = opweave_values(operator, values)
    try:
        return opweave_operator(operator["name"])(*positional, **named).numpy()
    except (RuntimeError, TypeError, NotImplementedError):
        return None


def is_exact(operator, vocabulary):
    """Whether every function of its expression gives the same bits on every target."""
    nodes = operator["computes"]["expression"]["nodes"]
    return all(vocabulary[n["op"]]["precision"] == "exact" for n in nodes if n["op"] in vocabulary)


def difference(found, expected, exact):
    """What is different, or an empty string."""
    if (found.dtype, found.shape) != (expected.dtype, expected.shape):
        return f"{found.dtype}{found.shape} instead of {expected.dtype}{expected.shape}"
    if exact or found.dtype.kind != "f":
        same = np.array_equal(found, expected, equal_nan=found.dtype.kind == "f")
        signs = found.dtype.kind != "f" or np.array_equal(
            np.signbit(found) & ~np.isnan(found), np.signbit(expected) & ~np.isnan(expected)
        )
        return "" if same and signs else f"{found} instead of {expected}"
    tolerance = TOLERANCE[found.dtype.name]
    close = np.allclose(found, expected, tolerance, tolerance, equal_nan=True)
    return "" if close else f"{found} instead of {expected}"


def value_differences(target, operator, specials=False):
    """(what is different, in which dtypes calls were compared)."""
    found, compared = [], set()
    exact = is_exact(operator, target.vocabulary)
    dtypes = [d for d in C_TYPES if d in operator["dtypes"]]
    for dtype in dtypes:
        for values in calls(operator, dtype, dtypes[0]):
            given = special_call(operator, values) if specials else values
            expected = None if given is None else run_opweave(operator, given)
            if expected is None:
                continue
            compared.add(dtype)
            told = difference(target.run(operator["name"], given), expected, exact)
            if told:
                found.append(f"{operator['name']} in {dtype} of {given}: {told}")
    return found, compared


def _differentiated(operator, values):
    """(the tensors of a call that gradients flow to, by their places, its result)."""
    positional, named = opweave_values(operator, values)
    arguments = operator["schema"]["arguments"]
    in_order = iter(positional)
    tensors = [named[a["name"]] if a.get("keyword_only") else next(in_order) for a in arguments]
    inputs = {}
    for place in (i["argument"] for i in operator["derivative"]["backward"]["inputs"]):
        if tensors[place] is not None and tensors[place].is_floating_point():
            inputs[place] = tensors[place].requires_grad_()
    return inputs, opweave_operator(operator["name"])(*positional, **named)


def _weights(like):
    """Uneven numbers of the sizes of an array."""
    return np.linspace(-1, 2, like.size, dtype=np.float32).reshape(like.shape)


def gradient_differences(target, operator):
    """(what is different, how many gradients were compared)."""
    found, compared = [], 0
    for values in calls(operator, "float32", "float32"):
        inputs, result = _differentiated(operator, values)
        if not result.requires_grad:
            continue
        plain = result.detach().numpy()
        expected = ow.autograd.grad(
            result, [*inputs.values()], ow.from_numpy(_weights(plain)), allow_unused=True
        )
        given = backward(target, operator["name"], values, plain, _weights(plain))
        for place, gradient in zip(inputs, expected, strict=True):
            compared += 1
            if gradient is None or given[place] is None:
                told = "" if gradient is given[place] else f"{given[place]} instead of {gradient}"
            else:
                told = difference(given[place], gradient.detach().numpy(), exact=False)
            if told:
                what = operator["schema"]["arguments"][place]["name"]
                found.append(f"gradient of {operator['name']} by {what} of {values}: {told}")
    return found, compared


def tangent_differences(target, operator):
    """(what is different, how many tangents were compared)."""
    found, compared = [], 0
    places = operator["derivative"]["forward"]["inputs"]
    for values in calls(operator, "float32", "float32"):
        moved = [i for i in places if values[i] is not None and values[i].dtype.kind == "f"]
        tangents = {i: _weights(values[i]) for i in moved}

        def function(*tensors, values=values, moved=moved):
            positional, named = opweave_values(operator, values, dict(zip(moved, tensors)))
            return opweave_operator(operator["name"])(*positional, **named)

        primals = tuple(ow.from_numpy(values[i].copy()) for i in moved)
        if not moved or not function(*primals).is_floating_point():
            continue
        result, tangent = ow.func.jvp(
            function, primals, tuple(map(ow.from_numpy, tangents.values()))
        )
        compared += 1
        given = forward(target, operator["name"], values, result.numpy(), tangents)
        told = difference(given, tangent.numpy(), exact=False)
        if told:
            found.append(f"tangent of {operator['name']} of {values}: {told}")
    return found, compared
