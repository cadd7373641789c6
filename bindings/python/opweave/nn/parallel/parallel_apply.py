"""Modules called at the same time, each in a thread and on a device of its own."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from typing import Any

from opweave import _C
from opweave._thread_settings import of_this_thread
from opweave._utils import ExceptionWrapper
from opweave.nn.modules.module import Module
from opweave.nn.parallel.scatter_gather import device_of

__all__ = ["parallel_apply"]


def parallel_apply(
    modules: Sequence[Module],
    inputs: Sequence[Any],
    kwargs_tup: Sequence[dict[str, Any]] | None = None,
    devices: Sequence[_C.device | str | int | None] | None = None,
) -> list[Any]:
    """The result of each module for its inputs.

    Threads have the caller's grad mode and autocast, and their device is the current one.

    Args:
        inputs: for each module its positional arguments, as a tuple or list, or the only one.
        kwargs_tup: for each its keywords.
        devices: of each; that of its first tensor without it.

    Raises:
        Exception: that of the first module that raises one, with its traceback and device.
    """
    kwargs = kwargs_tup or [{}] * len(modules)
    devices = [None] * len(modules) if devices is None else devices
    if not len(modules) == len(inputs) == len(kwargs) == len(devices):
        raise AssertionError(
            f"The number of modules {len(modules)}, inputs {len(inputs)}, keywords {len(kwargs)} and devices "
            f"{len(devices)} must agree"
        )
    found = [None] * len(modules)

    def run(i, state):
        try:
            device = _first_device(inputs[i]) if devices[i] is None else device_of(devices[i])
            arguments = inputs[i] if isinstance(inputs[i], (list, tuple)) else (inputs[i],)
            with state(), _current(device):
                found[i] = modules[i](*arguments, **kwargs[i])
        except Exception:
            found[i] = ExceptionWrapper(where=f"in replica {i} on device {device}")

    _in_threads(run, len(modules))
    for result in found:
        if isinstance(result, ExceptionWrapper):
            result.reraise()
    return found


def _in_threads(run, count):
    state = of_this_thread()
    if count == 1:
        run(0, state)
        return
    threads = [threading.Thread(target=run, args=(i, state)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@contextlib.contextmanager
def _current(device):
    """The device as the current one of its kind."""
    if device is None or device.index is None:
        yield
        return
    before = _C._exchange_device(device)
    try:
        yield
    finally:
        _C._exchange_device(_C.device(device.type, before))


def _first_device(value):
    """That of the first tensor among arguments; None without one."""
    if isinstance(value, _C.Tensor):
        return value.device
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return next((d for d in map(_first_device, value) if d is not None), None)
    return None
