"""Pools of processes by PyTorch's names: the standard library's carry tensors as they are."""

from multiprocessing.pool import Pool

__all__ = ["Pool"]
