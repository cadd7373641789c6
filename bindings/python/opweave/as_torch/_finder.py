"""What `import torch...` finds: the modules of Opweave themselves, under both names."""

import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import sys
import types

from opweave import _C, _ops, _target_module
from opweave.as_torch import _aliases, _classes, _lacking, _named


def _own_name(name):
    """The name of Opweave's module for one of PyTorch's."""
    return "opweave" + name.removeprefix("torch")


def _torch_name(name):
    return "torch" + name.removeprefix("opweave")


def _is_reached(name):
    """Whether programs reach one of Opweave's modules: what is public, what `torch._dynamo` gives, and
    private ones of which PyTorch's have names that are elsewhere here."""
    parts = name.split(".")[1:]
    private = any(
        part.startswith("_") and part not in sys.modules["opweave"]._SUBMODULES for part in parts
    )
    return not private or _torch_name(name) in _lacking.modules_elsewhere()


def _own_module(name):
    """Opweave's module for one of PyTorch's; None where there is none."""
    own = _own_name(name)
    try:
        return importlib.import_module(own)
    except ModuleNotFoundError as error:
        # It, or a target that it is below: another module is one that the module itself asks for.
        if not f"{own}.".startswith(f"{error.name}."):
            raise
    return None


def _has_module(name):
    """Whether `import` finds one of PyTorch's modules, but for those that can only be imported."""
    return _own_module(name) is not None or _aliases.has(name)


_lacking.has_module = _has_module


class _Loader(importlib.abc.Loader):
    """Puts Opweave's module where that of a name of PyTorch's is looked for."""

    def __init__(self, module):
        self.module = module

    def exec_module(self, module):
        name = module.__spec__.name
        sys.modules[name] = self.module
        parent, _, last = name.rpartition(".")
        beside = vars(sys.modules[parent]).get(last) if parent else None
        # The import puts the module where a function of its name is.
        if callable(beside) and type(self.module) is types.ModuleType:
            self.module._function = beside
            self.module.__class__ = _aliases.Called

    def _source(self):
        return self.module.__spec__.loader

    def get_code(self, name):
        """The code of a module that is run with -m."""
        return self._source().get_code(self.module.__name__)

    def get_source(self, name):
        """Its text, for tracebacks."""
        return self._source().get_source(self.module.__name__)


class _HookedLoader(importlib.machinery.SourceFileLoader):
    """Loads a module of Opweave, which then reports what it lacks."""

    def exec_module(self, module):
        super().exec_module(module)
        _lacking.hook(module, _torch_name(module.__name__))
        _classes.rename(module, _torch_name(module.__name__))


class Finder(importlib.abc.MetaPathFinder):
    """Finds `torch...` in Opweave, and Opweave's own modules, to hook them."""

    def find_spec(self, name, path=None, target=None):
        """The module's place; None for names of others.

        Raises:
            ModuleNotFoundError: a module below `torch` that Opweave lacks.
        """
        if name.startswith("opweave."):
            return _hooked_spec(name, path)
        if name == "functorch":
            module = importlib.import_module("opweave.as_torch.functorch")
            return importlib.util.spec_from_loader(name, _Loader(module))
        if name != "torch" and not name.startswith("torch."):
            return None
        module = _own_module(name)
        if module is None and _named.is_listed(name):
            return _named.spec(name)
        if module is None and _aliases.has(name):
            return _aliases.spec(name)
        if module is None:
            raise _no_module(name)
        spec = importlib.util.spec_from_loader(name, _Loader(module))
        spec.origin = getattr(module, "__file__", None)
        own = getattr(module.__spec__, "submodule_search_locations", None)
        if own is not None:
            spec.submodule_search_locations = list(own)
        return spec

    def find_distributions(self, context):
        """For importlib.metadata: `torch` is installed, in the version that Opweave follows."""
        return [_Distribution()] if context.name in (None, "torch") else []


def _hooked_spec(name, path):
    spec = importlib.machinery.PathFinder.find_spec(name, path)
    if spec is None or type(spec.loader) is not importlib.machinery.SourceFileLoader:
        # Those that look next find it: a folder that has types alone is the module of a target.
        return None
    if _is_reached(name):
        spec.loader = _HookedLoader(spec.loader.name, spec.loader.path)
    return spec


def _no_module(name):
    parent, _, last = name.rpartition(".")
    owner = sys.modules.get(_own_name(parent))
    words = _lacking.text_about(f"module '{parent}'", parent, last, dir(owner))
    return ModuleNotFoundError(f"No module named '{name}': {words}", name=name)


class _Distribution(importlib.metadata.Distribution):
    def read_text(self, filename):
        """METADATA alone."""
        if filename != "METADATA":
            return None
        version = sys.modules["opweave"].__version__  # which installing has set
        return f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n"

    def locate_file(self, path):
        """There are no files."""
        raise FileNotFoundError(path)


def _target_lacks(module, name):
    """The words of a target's module, opweave.cuda, about a name that it lacks."""
    named = _torch_name(module.__name__)
    return _lacking.text_about(f"module '{named}'", named, name, dir(module))


def install():
    """Makes Opweave what `torch` names, in this process."""
    for name, module in list(sys.modules.items()):
        ours = name == "opweave" or name.startswith("opweave.")
        named = _is_reached(name) or _named.has(_torch_name(name))
        if ours and named and isinstance(module, types.ModuleType):
            _lacking.hook(module, _torch_name(name))
            _classes.rename(module, _torch_name(name))
    for name, module in vars(_C).items():
        if isinstance(module, types.ModuleType):  # of C, which no import finds
            _lacking.hook(module, f"torch._C.{name}")
    _named.add_operators(_ops.aten)
    package = sys.modules["opweave"]
    package.torch = package  # programs write torch.torch
    _target_module.Module._lacking_text = _target_lacks
    sys.modules["torch"] = package
    sys.meta_path.insert(0, Finder())
