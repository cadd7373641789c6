"""Records the names of torch.distributed and what its functions take. Runs in a Python with PyTorch."""

import importlib
import inspect
import warnings

import torch
import torch.distributed
import torch.distributed._functional_collectives
import torch.distributed.device_mesh
import torch.distributed.nn.functional

MODULES = ("", "._functional_collectives", ".device_mesh", ".nn.functional")
CLASSES = (
    "Backend",
    "BackendConfig",
    "BarrierOptions",
    "BroadcastOptions",
    "DeviceMesh",
    "ProcessGroup",
    "ReduceOp",
    "ReduceOptions",
    "ScatterOptions",
    "Store",
    "Work",
)


def default_of(value):
    """Text that another package's default can be compared by; "..." where it is an object of its own."""
    plain = value is None or isinstance(value, bool | int | str)
    return repr(value) if plain else "..."


def parameters(value):
    """(name, default) of a function's parameters; None where it does not say, or is none."""
    if not inspect.isfunction(value):
        return None
    return [
        [p.name, None if p.default is p.empty else default_of(p.default)]
        for p in inspect.signature(value).parameters.values()
        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]


def _is_own(module, name):
    where = getattr(getattr(module, name), "__module__", "") or ""
    if module is torch.distributed:
        return where.startswith(("torch.distributed", "torch._C"))
    return where == module.__name__  # not what it imports


def record(report):
    """{name: parameters}, with the module's name before it where it is not torch.distributed."""
    warnings.simplefilter("ignore")
    found = {}
    for where in MODULES:
        module = importlib.import_module(f"torch.distributed{where}")
        names = [n for n in dir(module) if not n.startswith("_") and _is_own(module, n)]
        for name in names:
            found[f"{where}.{name}".lstrip(".")] = parameters(getattr(module, name))
    for cls in CLASSES:
        of_class = getattr(torch.distributed, cls)
        strings = dir(str) if issubclass(of_class, str) else ()
        for name in dir(of_class):
            if not name.startswith("_") and name not in strings:
                found[f"{cls}.{name}"] = None
    report(f"  {len(found)} names of torch.distributed")
    return found
