"""Helpers of torch.serialization that libraries import."""

import contextlib
import tempfile
import warnings

from opweave import _C, _targets, _tensor_types
from opweave import storage as storages


class SourceChangeWarning(Warning):
    """In PyTorch, of a module whose source has changed since it was saved."""


def check_module_version_greater_or_equal(module, req_version_tuple, error_if_malformed=True):
    """Whether the version of a module is at least one that is given as a tuple.

    Args:
        error_if_malformed: what cannot be compared is an error; else a warning, and True.

    Raises:
        RuntimeError: a version that cannot be compared.
    """
    try:
        parts = module.__version__.split(".")
        found = tuple(type(r)(parts[i]) for i, r in enumerate(req_version_tuple))
        return found >= req_version_tuple
    except Exception as error:
        text = (
            f"'{module.__name__}' module version string is malformed '{module.__version__}' and cannot be "
            f"compared with tuple {req_version_tuple}"
        )
        if error_if_malformed:
            raise RuntimeError(text) from error
        warnings.warn(f"{text}, but continuing assuming that requirement is met", stacklevel=2)
        return True


def normalize_storage_type(storage_type):
    """The class of storages of this name in the top module."""
    return getattr(storages, storage_type.__name__)


def storage_to_tensor_type(storage):
    """The class of tensors over storages of a class."""
    return getattr(_tensor_types, type(storage).__name__.replace("Storage", "Tensor"))


@contextlib.contextmanager
def mkdtemp():
    """A folder that is there within `with`."""
    with tempfile.TemporaryDirectory() as path:
        yield path


def validate_cuda_device(location):
    """The number of a CUDA device that a file names.

    Raises:
        RuntimeError: there is none.
    """
    device = _C.device(location)
    count = _targets.module("cuda").device_count()
    index = device.index or 0
    if index >= count:
        raise RuntimeError(
            f"Attempting to deserialize object on CUDA device {index} but there are {count}: name another "
            "place with map_location, if it may lie elsewhere"
        )
    return index


def validate_hpu_device(location):
    """Raises: there are no such devices."""
    raise RuntimeError(
        f"Attempting to deserialize object on a device of type 'hpu' ({location}): there is none; name "
        "another place with map_location, if it may lie elsewhere"
    )
