"""Queues of processes by PyTorch's names: the standard library's carry tensors as they are."""

from multiprocessing.queues import Queue, SimpleQueue

__all__ = ["Queue", "SimpleQueue"]
