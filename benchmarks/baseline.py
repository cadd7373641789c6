"""The loops and direct oneDNN calls of cpp/baseline.cc: what operators are measured against."""

import ctypes
import os
from functools import cache
from pathlib import Path

import numpy as np
from measure import Sampler

BIN = Path(os.environ.get("OPWEAVE_BIN", "bazel-bin"))


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(str(BIN / "benchmarks/cpp/baseline.so"))


def _timed(name: str, *arguments) -> Sampler:
    """A function of the library that runs something `runs` times and returns the seconds."""
    body = getattr(_library(), name)
    body.restype = ctypes.c_double
    return lambda runs: body(*arguments, ctypes.c_int64(runs))


class Buffers:
    """Three arrays of float32 for the loops over memory."""

    def __init__(self, size: int) -> None:
        self._arrays = [np.ones(size, np.float32) for _ in range(3)]

    def sampler(self, loop: str) -> Sampler:
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in self._arrays]
        timed = _timed(f"baseline_{loop}", *pointers, ctypes.c_int64(self._arrays[0].size))
        # The arrays live as long as the loop over them may run.
        return lambda runs, _alive=self: timed(runs)


def sgemm(size: int) -> Sampler:
    return _timed("baseline_sgemm", ctypes.c_int64(size))


def matmul_primitive(size: int) -> Sampler:
    return _timed("baseline_matmul", ctypes.c_int64(size))
