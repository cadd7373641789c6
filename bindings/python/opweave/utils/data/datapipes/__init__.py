"""Data sets that are put together of steps, each an object: what of them PyTorch still has."""

from opweave.utils.data.datapipes import iter, map
