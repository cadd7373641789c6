"""Writes the entries of a library whose operators are random, and what they are in NumPy.

make_library.py SEED COUNT OPS REFERENCE
"""

import sys
from pathlib import Path

from grammar import entries

HEADER = '''"""What the operators of the library compute, in NumPy."""

import math

import numpy as np

ERF = np.vectorize(math.erf, otypes=[float])


def SOFTMAX(x, dim):  # noqa: N802
    e = np.exp(x - x.max(dim, keepdims=True))
    return e / e.sum(dim, keepdims=True)


'''


def main() -> None:
    seed, count, ops, reference = int(sys.argv[1]), int(sys.argv[2]), *map(Path, sys.argv[3:])
    made = entries(seed, count)
    ops.write_text("".join(entry.text() for entry in made))
    table = "CALLS = {\n"
    for entry in made:
        row = f"{entry.kind!r}, {entry.tensors!r}, {entry.parameters!r}, {entry.name}"
        table += f"    {entry.name!r}: ({row}),\n"
    functions = "\n\n".join(entry.reference() for entry in made)
    reference.write_text(f"{HEADER}{functions}\n\n{table}}}\n")


main()
