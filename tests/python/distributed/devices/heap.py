"""Tensors on devices that are heaps, and the backend of the library that stands in for NCCL."""

import ctypes
import os

import opweave as ow


def serve():
    """Loads the heap target, with the CPU's kernels for what it has not; returns its library."""
    ow.device("heap_target:0")
    library = ctypes.CDLL(os.environ["OPWEAVE_TARGETS"])
    library.heap_target_run_everything()
    return library


def on_heap(values, rank=0, dtype=None):
    return ow.tensor(values, dtype=dtype).to(f"heap_target:{rank}")


def stand_in():
    """The stand-in for NCCL, as the backend 'stand_in'."""
    serve()
    ow.distributed.register_nccl_library("stand_in", os.environ["NCCL_STAND_IN"], "heap_target")
    library = ctypes.CDLL(os.environ["NCCL_STAND_IN"])
    library.nccl_stand_in_calls.restype = ctypes.c_char_p
    return library
