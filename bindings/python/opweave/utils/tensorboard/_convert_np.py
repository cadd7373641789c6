"""Arrays of NumPy from what programs hand in."""

from __future__ import annotations

from typing import Any

import numpy as np

from opweave import _C


def make_np(x: Any) -> np.ndarray[Any, Any]:
    """An array of a tensor, an array or a number, which becomes one of a single element.

    Raises:
        NotImplementedError: something else.
        ValueError: a tensor of the device meta, which has no values.
    """
    if isinstance(x, np.ndarray):
        return x
    if np.isscalar(x):
        return np.array([x])
    if not isinstance(x, _C.Tensor):
        raise NotImplementedError(f"Got {type(x)}, but numpy array or torch tensor are expected.")
    if x.is_meta:
        raise ValueError("a tensor of the device meta has no values to write to an event file")
    if x.dtype == _C.bfloat16:
        x = x.float()  # NumPy has no such dtype
    made: np.ndarray[Any, Any] = x.detach().cpu().numpy()
    return made
