"""Operators of random entries, compiled: against NumPy, and their gradients against differences."""

import numpy as np
import opweave as ow
import pytest
import random_entries  # noqa: F401
import reference

STEP = 1e-5


def cases():
    for name, (kind, tensors, parameters, function) in reference.CALLS.items():
        longest = max([1, *map(len, parameters.values())])
        for i in range(longest):
            given = {key: number(values[i % len(values)]) for key, values in parameters.items()}
            yield pytest.param(kind, tensors, given, function, id=f"{name}-{i}")


def number(text):
    words = {"none": None, "true": True, "false": False}
    if text in words:
        return words[text]
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text


def inputs(kind, tensors, draw):
    """Elements that are no multiples of one another, of the dtype that the operator is made for."""
    if kind == "bits":
        return [draw.integers(-9, 9, (2, 3)) for _ in tensors]
    return [draw.uniform(0.1, 3, (2, 3)) * draw.choice([-1, 1], (2, 3)) for _ in tensors]


def call(name, arrays, given, **more):
    function = getattr(ow, name)
    tensors = [ow.tensor(array.tolist(), dtype=dtype_of(array), **more) for array in arrays]
    return tensors, function(*tensors, **given)


def dtype_of(array):
    return ow.int64 if array.dtype.kind == "i" else ow.float64


@pytest.mark.parametrize(("kind", "tensors", "given", "function"), cases())
def test_values(kind, tensors, given, function):
    draw = np.random.default_rng(1)
    kinds = {"bits": ["bits"], "whole": ["bits", "float"]}.get(kind, ["float"])
    for elements in kinds:
        arrays = inputs(elements, tensors, draw)
        _, result = call(function.__name__, arrays, given)
        wanted = np.broadcast_to(
            function(*arrays, **given), (2, 3) if kind != "formula" else result.shape
        )
        assert result.shape == wanted.shape
        if elements == "bits":
            assert result.dtype == (ow.bool if wanted.dtype == bool else ow.int64)
            assert (result.numpy() == wanted).all()
        else:
            np.testing.assert_allclose(result.numpy(), wanted, rtol=1e-12, atol=1e-12)


def differences(function, arrays, given, at, direction, step):
    """How the sum of the result changes with one input, along a direction."""
    moved = [list(arrays), list(arrays)]
    moved[0][at] = arrays[at] + step * direction
    moved[1][at] = arrays[at] - step * direction
    above, below = (np.broadcast_to(function(*m, **given), (2, 3)) for m in moved)
    return (above - below) / (2 * step)


@pytest.mark.parametrize(("kind", "tensors", "given", "function"), cases())
def test_gradients(kind, tensors, given, function):
    if kind == "bits":
        pytest.skip("bits have no gradient")
    arrays = inputs("float", tensors, np.random.default_rng(2))
    leaves, result = call(function.__name__, arrays, given, requires_grad=True)
    if not result.requires_grad:
        pytest.skip("a constant of this call")
    shape = tuple(result.shape)
    found = ow.autograd.grad(result.sum(), leaves, allow_unused=True)
    share = np.prod(shape) / 6  # of a result that broadcasts to (2, 3)
    for at in range(len(tensors)):
        for place in np.ndindex(2, 3):
            direction = np.zeros((2, 3))
            direction[place] = 1
            wide, narrow = (
                differences(function, arrays, given, at, direction, step).sum() * share
                for step in (STEP, STEP / 2)
            )
            if abs(wide - narrow) > 1e-4 * (1 + abs(narrow)):
                continue  # a kink, or a jump
            gradient = 0.0 if found[at] is None else found[at].numpy()[place]
            assert gradient == pytest.approx(narrow, rel=1e-5, abs=1e-6), (at, place)
