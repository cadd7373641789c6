"""Signals: windows, after torch.signal."""

from opweave.signal import windows

__all__ = ["windows"]
