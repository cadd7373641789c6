"""Helpers that the Python tests share."""

import importlib
import os
from functools import lru_cache


@lru_cache
def under_test():
    """The module under test: opweave, or what OPWEAVE_MODULE names (torch, to test the tests)."""
    return importlib.import_module(os.environ.get("OPWEAVE_MODULE", "opweave"))


def device():
    """Where the reference cases run: the CPU, or the device type that OPWEAVE_DEVICE names."""
    return os.environ.get("OPWEAVE_DEVICE", "cpu")


def is_pytorch():
    return under_test().__name__ == "torch"
