"""Derivatives of printed operators, as their backward and forward passes say."""

import numpy as np
from c_target import Formula


def backward(target, name, values, result, gradient):
    """What the backward pass of an operator gives: gradients by the places of arguments."""
    found = {}
    for step in target.operators[name]["derivative"]["backward"]["steps"]:
        places = step["arguments"]
        if "formula" not in step:
            found[places[0]] = np.zeros_like(values[places[0]])
            continue
        given = Formula(target, step["formula"], values, [result], [gradient]).value()
        for place, each in zip(places, given if len(places) > 1 else [given], strict=True):
            given_one = each is not None and values[place] is not None
            found[place] = fitted(each, values[place]) if given_one else None
    return found


def fitted(gradient, tensor):
    """Summed over what was broadcast, and in the dtype of the tensor."""
    gradient = np.asarray(gradient)
    gradient = gradient.sum(tuple(range(gradient.ndim - tensor.ndim)), dtype=gradient.dtype)
    kept = tuple(i for i, size in enumerate(tensor.shape) if size == 1 != gradient.shape[i])
    gradient = gradient.sum(kept, dtype=gradient.dtype, keepdims=True)
    return np.broadcast_to(gradient, tensor.shape).astype(tensor.dtype)


def forward(target, name, values, result, tangents):
    """The tangent of the result: the terms of which a tangent is there, added up. In terms that are steps of
    the backward pass the tangent stands for the gradient of the result."""
    derivative = target.operators[name]["derivative"]
    (total,) = derivative["forward"]["sums"]
    found = np.zeros_like(result)
    for term in total["terms"]:
        (place,) = term["tangents"]
        if place in tangents:
            formula = derivative["backward"]["steps"][term["step"]]["formula"]
            given = Formula(target, formula, values, [result], [tangents[place]])
            found = found + np.asarray(given.value()).astype(result.dtype)
    return found
