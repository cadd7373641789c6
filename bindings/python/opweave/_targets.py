"""Hardware targets in libraries of their own: finding, loading, and their modules (opweave.<target>).

Libraries are looked for in the folder `targets` of the package and in the folders and files that
OPWEAVE_TARGETS names, separated by colons. They are loaded when their module or device is first used.
"""

import os
import pathlib
import types

from opweave import _C

# PyTorch's programs ask for these, installed or not.
EXPECTED = ("cuda",)
_PREFIX, _SUFFIX = "libopweave_", ".so"


def _candidates():
    places = [pathlib.Path(__file__).parent / "targets"]
    places += [pathlib.Path(p) for p in os.environ.get("OPWEAVE_TARGETS", "").split(":") if p]
    for place in places:
        yield from sorted(place.glob(f"{_PREFIX}*{_SUFFIX}")) if place.is_dir() else [place]


def available():
    """The names of the targets that are installed, loaded or not."""
    return {
        path.name[len(_PREFIX) : -len(_SUFFIX)]: path
        for path in _candidates()
        if path.name.startswith(_PREFIX) and path.exists()
    }


def is_target(name):
    """Whether opweave.<name> exists."""
    return name in EXPECTED or name in available()


def load(name):
    """Loads a target by name; False when it is not installed."""
    path = available().get(name)
    if path is None:
        return False
    _C._load_target_library(str(path))
    mark_tensors(name)
    return True


def mark_tensors(name):
    """Gives tensors the attribute is_<name>."""
    from opweave._tensor import Tensor

    on_target = property(lambda tensor: tensor.device.type == name, doc=f"Whether it is on {name}.")
    setattr(Tensor, f"is_{name}", on_target)


def load_device_type(name):
    """Loads the target whose devices have this name; called for names that are not known yet."""
    if not load(name):
        raise RuntimeError(
            f"Expected one of {_C._device_types()} device type at start of device string: {name}; "
            f"no target library {_PREFIX}{name}{_SUFFIX} is installed in the package's folder "
            "'targets' or named by OPWEAVE_TARGETS"
        )


def module(name):
    """opweave.<name>: is_available(), device_count(), synchronize(), empty_cache(), memory_stats()."""
    installed = load(name)
    result = types.ModuleType(f"opweave.{name}", f"The target '{name}'.")

    def device_count():
        """The number of usable devices."""
        return _C._target_device_count(name) if installed else 0

    def is_available():
        """Whether there is a usable device."""
        return device_count() > 0

    def synchronize(device=None):
        """Waits for all work on a device."""
        if not is_available():
            raise RuntimeError(f"opweave.{name}.synchronize: no usable {name} device")
        index = (
            device if isinstance(device, int) else getattr(_C.device(device or name), "index", None)
        )
        _C._target_synchronize(name, index or 0)

    def memory_stats(device=None):
        """Bytes and numbers of allocations."""
        return _C._memory_stats(_C.device(device or name))

    def empty_cache():
        """Returns unused memory to the system."""
        if is_available():
            _C._empty_cache(_C.device(name))

    for function in (device_count, is_available, synchronize, memory_stats, empty_cache):
        setattr(result, function.__name__, function)
    return result
