"""Hardware targets: finding and loading those in libraries of their own.

Libraries are looked for in the folder `targets` of the package and in the folders and files that
OPWEAVE_TARGETS names, separated by colons. They are loaded when their module or device is first used.
"""

import os
import sys
import warnings

from opweave import _C

# PyTorch's programs ask for these, installed or not: their modules and devices can be made, nothing on them.
EXPECTED = ("cuda", "mps", "xpu")
# In every build.
BUILT_IN = ("cpu", "meta")
# Variables by which PyTorch's programs set options that the target does not have.
WITHOUT_EFFECT = {"cuda": ("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF")}
_PREFIX, _SUFFIX = "libopweave_", ".so"
_loaded = {}  # paths of libraries by name of the target
_make_module = None  # has_modules_made_by()
_waiting = {}  # paths of parts of operator libraries by name of the target that they are for


def _candidates():
    folder = os.path.join(os.path.dirname(__file__), "targets")
    for place in [folder, *filter(None, os.environ.get("OPWEAVE_TARGETS", "").split(":"))]:
        if os.path.isdir(place):
            yield from sorted(os.path.join(place, name) for name in os.listdir(place))
        else:
            yield place


def available():
    """Name -> path of the targets that are installed, loaded or not."""
    named = {path: os.path.basename(path) for path in _candidates()}
    return {
        name[len(_PREFIX) : -len(_SUFFIX)]: path
        for path, name in named.items()
        if name.startswith(_PREFIX) and name.endswith(_SUFFIX) and os.path.exists(path)
    }


def is_target(name):
    """Whether opweave.<name> exists."""
    return name in BUILT_IN or name in EXPECTED or name in available()


def load(name):
    """Loads a target by name; False when it is not installed."""
    if name in BUILT_IN:
        return True
    path = available().get(name)
    if path is None:
        return False
    _C._load_target_library(path)
    if name not in _loaded:
        _loaded[name] = path
        mark_tensors(name)
        _warn_of_variables(name)
    _load_parts(name)
    return True


def _warn_of_variables(name):
    for variable in WITHOUT_EFFECT.get(name, ()):
        if os.environ.get(variable):
            warnings.warn(
                f"{variable} is set and has no effect: the allocator of the target '{name}' has no options",
                stacklevel=2,
            )


def add_part(name, path):
    """A library's kernels for a target: a shared library that is loaded as soon as the target is."""
    _waiting.setdefault(name, []).append(path)
    if name in _loaded:
        _load_parts(name)


def _load_parts(name):
    waiting = _waiting.pop(name, None)
    if not waiting:
        return
    import ctypes

    # What they call of the target's own functions is found there.
    ctypes.CDLL(_loaded[name], mode=ctypes.RTLD_GLOBAL | os.RTLD_NOLOAD)
    for path in waiting:
        try:
            _C._load_target_library(str(path))
        except RuntimeError as error:
            raise ImportError(
                f"{path}: an operator library's kernels for the target '{name}' cannot be loaded with "
                f"{_loaded[name]}: {error}\nBuild the library again: python -m opweave.build FOLDER"
            ) from None


def load_all():
    """Loads what is installed: somebody asks for an accelerator without naming one."""
    for name in available():
        load(name)


def mark_tensors(name):
    """Gives tensors the attribute is_<name>."""
    on_target = property(lambda tensor: tensor.device.type == name, doc=f"Whether it is on {name}.")
    setattr(_C.Tensor, f"is_{name}", on_target)


def load_device_type(name):
    """Loads the target whose devices have this name; called for names that are not known yet."""
    if name in EXPECTED and not load(name):
        _C._register_device_type(name)
    elif not load(name):
        raise RuntimeError(
            f"Expected one of {_C._device_types()} device type at start of device string: {name}; "
            f"no target library {_PREFIX}{name}{_SUFFIX} is installed in the package's folder "
            "'targets' or named by OPWEAVE_TARGETS"
        )


def has_modules_made_by(make):
    """Says what makes opweave.<name> of a name and of whether the target is installed.

    The package itself does: those modules have parts of all of it, and who asks for one lies below them.
    """
    global _make_module
    _make_module = make


def module(name):
    """opweave.<name>."""
    if f"opweave.{name}" in sys.modules:
        return sys.modules[f"opweave.{name}"]
    made = _make_module(name, load(name))
    sys.modules[made.__name__] = made  # so that imports of what is below it find it
    return made


def module_of(kind):
    """opweave.<kind> of a kind of device; None where no target has the name."""
    return module(kind) if is_target(kind) else None


class _Loader:
    """Gives a module that is there."""

    def __init__(self, module):
        self._module = module

    def create_module(self, spec):
        """The module."""
        return self._module

    def exec_module(self, module):
        """Nothing: its names are made when they are asked for."""


class _Finder:
    """Finds opweave.<target> and the modules below it, which have no files."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """The module's place; None for names of others."""
        top, _, rest = name.partition(".")
        kind, _, below = rest.partition(".")
        if top != "opweave" or not kind or not is_target(kind) or "." in below:
            return None
        found = module(kind)
        if below:
            found = None if below.startswith("_") else getattr(found, below, None)
        if not isinstance(found, type(sys)):
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, _Loader(found), is_package=hasattr(found, "__path__"))


# Before the one that looks for files: a folder that has types alone is no module.
sys.meta_path.insert(0, _Finder)
