"""Anomaly mode: errors in backward tell where the failing operation was recorded."""

from opweave import _C


class set_detect_anomaly:  # noqa: N801
    """Sets anomaly mode at once; as a `with` block, sets it back at the end."""

    def __init__(self, mode, check_nan=True):
        self._previous = _C.is_anomaly_enabled(), _C.is_anomaly_check_nan_enabled()
        _C.set_anomaly_enabled(mode, check_nan)

    def __enter__(self):
        pass

    def __exit__(self, *exception):
        _C.set_anomaly_enabled(*self._previous)


class detect_anomaly:  # noqa: N801
    """Inside of the block, operations remember where they were called, and NaN gradients raise."""

    def __init__(self, check_nan=True):
        self._check_nan = check_nan

    def __enter__(self):
        self._previous = _C.is_anomaly_enabled(), _C.is_anomaly_check_nan_enabled()
        _C.set_anomaly_enabled(True, self._check_nan)

    def __exit__(self, *exception):
        _C.set_anomaly_enabled(*self._previous)
