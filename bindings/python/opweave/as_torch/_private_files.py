"""Private functions of torch.serialization and torch.utils that copies of PyTorch's functions call."""

import contextlib
import importlib.util
import itertools
import operator
import os
from collections.abc import Callable

from opweave import _C, _process_groups, _targets
from opweave.amp._settings import get_autocast_dtype, is_autocast_enabled
from opweave.serialization import load
from opweave.serialization._archive import looks_like_archive
from opweave.serialization._locations import restorer
from opweave.utils._surroundings import DefaultDeviceType

COLLATE_FUNCTION = WORKER_INIT_FUNCTION = Callable
STATUS_CHECK_INTERVAL = 5.0  # seconds


# --- files -------------------------------------------------------------------------------------------------
def is_zipfile(f):
    """Whether a file goes on as a zip archive; it stays where it is."""
    return looks_like_archive(f)


def is_path(name_or_buffer):
    """Whether it is the name of a file."""
    return isinstance(name_or_buffer, (str, os.PathLike))


@contextlib.contextmanager
def open_file_like(name_or_buffer, mode):
    """A file by its name, closed afterwards; one that is given stays open."""
    if is_path(name_or_buffer):
        with open(name_or_buffer, mode) as file:
            yield file
        return
    yield name_or_buffer
    if "w" in mode:
        name_or_buffer.flush()


def maybe_decode_ascii(bytes_str):
    """Text of bytes; text as it is."""
    return bytes_str.decode("ascii") if isinstance(bytes_str, bytes) else bytes_str


def should_read_directly(f):
    """Whether a file is one of the system, whose bytes are those that are read."""
    try:
        return f.fileno() >= 0 and not hasattr(f, "myfileobj")  # the latter of gzip
    except (AttributeError, OSError):
        return False


def restore_location(map_location):
    """The function that puts storages where they shall be."""
    return restorer(map_location)


def check_pickle_module(pickle_module):
    """Whether a module pickles as PyTorch needs it: any does."""


def legacy_load(f, map_location, pickle_module=None, **pickle_load_args):
    """What a file holds of the format of before PyTorch 1.6, from whoever is trusted."""
    options = {"weights_only": False, "pickle_module": pickle_module, **pickle_load_args}
    return load(f, map_location, **options)


# --- data --------------------------------------------------------------------------------------------------
def accumulate(iterable, fn=operator.add):
    """The sums of the first, the first two, and so on."""
    return itertools.accumulate(iterable, fn)


def distributed_settings():
    """(number of processes, this one's) of the default group; (1, 0) without one."""
    group = _process_groups.default_group()
    if group is not None:
        return group.size(), group.rank()
    return 1, 0


# --- checkpoints of activations, and others ----------------------------------------------------------------
def autocast_kwargs(device_type="cuda"):
    """What autocast is set to on a type of devices, and on the processor, as arguments for autocast."""

    def of(kind):
        return {
            "enabled": is_autocast_enabled(kind),
            "dtype": get_autocast_dtype(kind),
            "cache_enabled": _C.is_autocast_cache_enabled(),
        }

    return of(device_type), of(_C._default_device().type)


def infer_device_type(*args):
    """The type of the devices of tensors, other than the processor; that of checkpoints without any."""
    tensors = [a for a in args if isinstance(a, _C.Tensor)]
    kinds = [t.device.type for t in tensors if not _C._is_host(t.device)]
    return kinds[0] if kinds else DefaultDeviceType.get_device_type()


def device_module(device="cuda"):
    """The module of a type of devices; None for "meta"."""
    return _C.device("meta") if device == "meta" else _targets.module(device)


def dill_available():
    """Whether the package dill is installed."""
    return importlib.util.find_spec("dill") is not None


class DeviceContext:
    """Makes new tensors be on a device within `with`, as the device itself does."""

    def __init__(self, device):
        self.device = _C.device(device)

    def __enter__(self):
        self.device.__enter__()
        return self

    def __exit__(self, *exception):
        return self.device.__exit__(*exception)
