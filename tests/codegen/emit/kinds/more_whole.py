"""Prints where the operator `whole` of the kinds gives something else than C++ does with such elements.

The framework is the argument: torch or jax.
"""

import itertools
import sys

import numpy as np

BITS = {"bool": 8, "uint8": 8, "int8": 8, "int16": 16, "int32": 32}


def _truncated(x, y):
    return 0 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def _rest(x, y):
    return x if y == 0 else x - y * _truncated(x, y)


def _remainder(x, y):
    return x if y == 0 else x % y


def _pow(x, y):
    if y >= 0:
        return pow(x, y, 1 << 64)
    return 1 if x == 1 else (-1) ** (y % 2) if x == -1 else 0


FUNCTIONS = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "negate": lambda x, y: -x,
    "abs": lambda x, y: abs(x),
    "sign": lambda x, y: (x > 0) - (x < 0),
    "square": lambda x, y: x * x,
    "relu": lambda x, y: max(x, 0),
    **dict.fromkeys(("floor", "ceil", "round", "trunc"), lambda x, y: x),
    "remainder": _remainder,
    "fmod": _rest,
    "floor_div": lambda x, y: 0 if y == 0 else x // y,
    "trunc_div": _truncated,
    "pow": _pow,
    "max": max,
    "min": min,
}


def wrapped(value, dtype):
    """What is left of a number in the bits of a dtype; truth values are 0 and what is not."""
    left = value % (1 << BITS[dtype])
    if dtype == "bool":
        return left != 0
    return (
        left - (1 << BITS[dtype]) if dtype.startswith("int") and left >> (BITS[dtype] - 1) else left
    )


def elements(dtype):
    if dtype == "bool":
        return [0, 1]
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    found = {low, low + 1, -7, -2, -1, 0, 1, 2, 3, 7, 8, high - 1, high, min(high, (1 << 24) + 1)}
    return sorted(value for value in found if low <= value <= high)


def main(framework):
    if framework == "torch":
        import kinds
        import torch

        def call(name, x, y):
            return kinds.whole(torch.from_numpy(x), torch.from_numpy(y), function=name).numpy()
    else:
        import jax.numpy as jnp
        import kinds_jax

        def call(name, x, y):
            return np.asarray(kinds_jax.whole(jnp.asarray(x), jnp.asarray(y), function=name))

    for dtype, (name, function) in itertools.product(BITS, FUNCTIONS.items()):
        pairs = list(itertools.product(elements(dtype), repeat=2))
        x, y = (np.asarray(side).astype(dtype) for side in zip(*pairs))
        found = call(name, x, y)
        expected = np.asarray([wrapped(int(function(*pair)), dtype) for pair in pairs]).astype(
            dtype
        )
        wrong = np.nonzero(found != expected)[0]
        if found.dtype != dtype or len(wrong):
            at = [(*pairs[i], found[i].item(), expected[i].item()) for i in wrong[:3]]
            print(dtype, name, found.dtype, at)
    print("compared")


main(sys.argv[1])
