"""Algorithms over groups: hooks of data-parallel training, and ranks with unequal amounts of data."""

from opweave.distributed.algorithms.join import Join, Joinable, JoinHook

__all__ = ["Join", "JoinHook", "Joinable"]
