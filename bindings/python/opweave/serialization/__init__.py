"""Saving and loading of objects with tensors, in PyTorch's file format."""

from collections.abc import Callable as _Callable
from os import PathLike as _PathLike
from typing import IO as _IO

from opweave import _C
from opweave.serialization._loading import get_unsafe_globals_in_checkpoint, load
from opweave.serialization._locations import (
    default_restore_location,
    location_tag,
    register_package,
)
from opweave.serialization._safe_globals import (
    add_safe_globals,
    clear_safe_globals,
    get_safe_globals,
    safe_globals,
)
from opweave.serialization._saving import DEFAULT_PROTOCOL, save
from opweave.serialization._settings import (
    LoadEndianness,
    get_crc32_options,
    get_default_load_endianness,
    get_default_mmap_options,
    set_crc32_options,
    set_default_load_endianness,
    set_default_mmap_options,
    skip_data,
)
from opweave.serialization._old_names import (
    SourceChangeWarning,
    check_module_version_greater_or_equal,
    mkdtemp,
    normalize_storage_type,
    storage_to_tensor_type,
    validate_cuda_device,
    validate_hpu_device,
)

# In annotations of libraries.
FILE_LIKE = str | _PathLike | _IO[bytes]
MAP_LOCATION = _Callable | _C.device | str | dict | None

__all__ = [
    "DEFAULT_PROTOCOL",
    "LoadEndianness",
    "SourceChangeWarning",
    "add_safe_globals",
    "check_module_version_greater_or_equal",
    "clear_safe_globals",
    "default_restore_location",
    "get_crc32_options",
    "get_default_load_endianness",
    "get_default_mmap_options",
    "get_safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "load",
    "location_tag",
    "mkdtemp",
    "normalize_storage_type",
    "register_package",
    "safe_globals",
    "save",
    "set_crc32_options",
    "set_default_load_endianness",
    "set_default_mmap_options",
    "skip_data",
    "storage_to_tensor_type",
    "validate_cuda_device",
    "validate_hpu_device",
]
