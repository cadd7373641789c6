"""Names for annotations that programs import from torch.jit.annotations; Python reads them, no compiler."""

from typing import Any, Dict, List, Optional, Tuple, Union  # noqa: UP035 - as PyTorch has them

from opweave.futures import Future

__all__ = [
    "Any",
    "BroadcastingList1",
    "BroadcastingList2",
    "BroadcastingList3",
    "Dict",
    "Future",
    "List",
    "Optional",
    "Tuple",
    "Union",
]


class _BroadcastingList:
    """A list of a fixed length, or one number for all of it: BroadcastingList2[int]."""

    def __getitem__(self, kind):
        """Nothing that is checked."""
        return None


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = _BroadcastingList()
