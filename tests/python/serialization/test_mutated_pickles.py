"""Pickles of PyTorch, broken in thousands of ways: errors, or objects; never the end of the process.

With --config=asan the machine's memory is watched as well.
"""

import pickle
import random
import zipfile

import opweave
import pytest
from pickles import checkpoint
from reference import files

ROUNDS = 1500
# What the machine and the archive say; anything else would be an accident.
CLEAR = (pickle.UnpicklingError, RuntimeError)


def parts(name):
    """The pickle of a recorded file, and its records."""
    with zipfile.ZipFile(files.FOLDER / f"{name}.pt") as archive:
        records = {n.partition("/")[2]: archive.read(n) for n in archive.namelist()}
    return records.pop("data.pkl"), {n: r for n, r in records.items() if n != "version"}


def mutated(data, draw):
    """One to four edits: bytes changed, taken out, doubled, moved."""
    data = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        at, length = draw.randrange(len(data)), draw.randint(1, 6)
        kind = draw.randrange(5)
        if kind == 0:
            data[at] = draw.randrange(256)
        elif kind == 1:
            del data[at : at + length]
        elif kind == 2:
            data[at:at] = data[at : at + length]
        elif kind == 3:
            data[at:at] = bytes(
                draw.choice(b"(.01}]eusatR\x81bQ)\x85\x86\x87h\x94\x90\x91\x93")
                for _ in range(length)
            )
        else:
            other = draw.randrange(len(data))
            data[at : at + length] = data[other : other + length]
        data = data or bytearray(b".")
    return bytes(data)


@pytest.mark.parametrize("name", sorted(files.OBJECTS))
def test_broken_pickles(name):
    data, records = parts(name)
    draw, read = random.Random(name), 0
    for number in range(ROUNDS):
        broken = mutated(data, draw)
        try:
            opweave.load(checkpoint(broken, records))
            read += 1
        except CLEAR:
            pass
        except Exception as error:
            raise AssertionError(f"number {number}: {broken!r}") from error
    assert read < ROUNDS
