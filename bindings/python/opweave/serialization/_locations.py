"""Where storages go that are read from files: map_location, and the devices that register_package() adds."""

from opweave import _C, _targets
from opweave.storage import TypedStorage, UntypedStorage

_packages = []


def register_package(priority, tagger, deserializer):
    """Has storages of a device saved and read by two functions.

    Args:
        priority: of several whose functions know a storage, the lowest is taken.
        tagger: from a storage to the text that names its device in files, or None if it is of another device.
        deserializer: from a storage in host memory and that text to the storage on the device, or None.
    """
    _packages.append((priority, tagger, deserializer))
    _packages.sort(key=lambda package: package[0])


def location_tag(storage):
    """The text that names a storage's device in files, as str(device) does."""
    for _, tagger, _ in _packages:
        if (tag := tagger(storage)) is not None:
            return tag
    raise RuntimeError(f"don't know how to determine data location of {type(storage).__name__}")


def default_restore_location(storage, location):
    """A storage that was read into host memory, on the device that a file names.

    Args:
        storage: UntypedStorage; itself the result where the device is the host.
        location: as str(device) gives it.

    Raises:
        RuntimeError: there is no such device here.
    """
    for _, _, deserializer in _packages:
        if (restored := deserializer(storage, location)) is not None:
            return restored
    raise RuntimeError(
        f"don't know how to restore data location of opweave.UntypedStorage (tagged with {location})"
    )


def _tag_of_device(storage):
    return str(storage.device)


def _restore_to_device(storage, location):
    kind = location.partition(":")[0]
    if kind == storage.device.type:
        return storage if location in (kind, f"{kind}:0") else None
    if kind == "meta":
        return _C.empty(storage.nbytes(), dtype=_C.uint8, device="meta").untyped_storage()
    if not _targets.is_target(kind) and kind not in _targets.EXPECTED:
        return None
    return storage._bytes().to(_present_device(location, storage.device)).untyped_storage()


def _present_device(location, host):
    """The device of a location, which must be there."""
    try:
        device = _C.device(location)
        _C.empty(0, device=device)
    except Exception as error:
        raise RuntimeError(
            f"the file holds tensors of device '{location}', which cannot be used here ({error}). "
            f"load(..., map_location='{host}') reads them into host memory"
        ) from None
    return device


register_package(10, _tag_of_device, _restore_to_device)


def restorer(map_location):
    """A function from a storage and its location in the file to the storage where it shall be.

    Args:
        map_location: None, the text of a location, a device, a dict from locations to locations,
            or a function of the same arguments, which may return None for "as it would be without".
    """
    if map_location is None:
        return default_restore_location
    if isinstance(map_location, dict):
        return lambda s, location: default_restore_location(
            s, _text(map_location.get(location, location))
        )
    if isinstance(map_location, (str, bytes, _C.device)):
        fixed = _text(map_location)
        return lambda s, location: default_restore_location(s, fixed)
    if not callable(map_location):
        raise TypeError(
            "load(): map_location must be a str, device, dict or function, not "
            + type(map_location).__name__
        )
    return lambda s, location: _restore_by(map_location, s, location)


def _text(location):
    return location.decode() if isinstance(location, bytes) else str(location)


def _restore_by(function, storage, location):
    result = function(storage, location)
    if result is None:
        return default_restore_location(storage, location)
    if isinstance(result, TypedStorage):
        return result._untyped_storage
    if not isinstance(result, UntypedStorage):
        raise TypeError(
            f"map_location returned {type(result).__name__}; a storage or None is expected"
        )
    return result


def reads_no_data(map_location):
    """Whether no bytes are needed: everything goes to the meta device."""
    return isinstance(map_location, (str, _C.device)) and str(map_location) == "meta"
