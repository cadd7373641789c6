"""Records which public names PyTorch has, for opweave.as_torch, which of them are the same object under
another name, and which module each class says it is from; runs in a Python that has PyTorch."""

import ast
import importlib
import inspect
import pkgutil
import sys
import warnings
from pathlib import Path
from typing import TypeVar

import torch

FOLDER = Path(__file__).parents[2] / "bindings/python/opweave/as_torch"
TARGET = FOLDER / "pytorch_names.txt"
VALUES = FOLDER / "pytorch_values.txt"
ALIASES = FOLDER / "pytorch_aliases.txt"
CLASSES = FOLDER / "pytorch_classes.txt"
# Where programs expect a name above all; the first that has the object is where it is looked for.
HOMES = [
    *("torch", "torch.overrides", "torch.nn", "torch.nn.functional", "torch.nn.init"),
    *("torch.nn.parameter", "torch.nn.utils", "torch.nn.utils.rnn", "torch.nn.parallel"),
    *("torch.nn.modules.module", "torch.nn.modules.lazy", "torch.optim"),
    *("torch.optim.lr_scheduler", "torch.autograd", "torch.autograd.profiler"),
    *("torch.autograd.graph", "torch.distributed", "torch.distributed.algorithms"),
    *("torch.utils.data", "torch.utils._pytree", "torch.utils.hooks"),
    *("torch.utils._python_dispatch", "torch.utils.checkpoint", "torch.profiler"),
    *("torch.multiprocessing", "torch.accelerator", "torch.amp", "torch.compiler"),
    *("torch.futures", "torch.backends.cuda", "torch.nn.attention"),
    *("torch.nn.parallel.scatter_gather", "torch.nn.utils.stateless", "torch.types"),
    *("torch.storage", "torch.torch_version", "torch.utils.data.datapipes.datapipe"),
    *("torch._ops", "torch.return_types"),
]
# What torch.__getattr__ knows, beside modules.
NOT_IN_DIR = [n for n in ("set_vital", *torch._deprecated_attrs) if hasattr(torch, n)]
LIBRARY = Path(__file__).parents[1] / "python/libraries/torch_library_names.txt"
# Packages whose modules are no part of what programs call.
LEFT_OUT = (
    *(
        "_",
        "ao.",
        "contrib.",
        "export.",
        "fx.",
        "jit.",
        "onnx.",
        "package.",
        "quantization.",
        "testing.",
    ),
    *("distributed.pipelining.", "utils.benchmark.", "utils.bottleneck.", "utils.hipify.", "xpu."),
)


def modules():
    """The names of PyTorch's public modules, without `torch.`; those that do not load here are skipped."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for found in pkgutil.walk_packages(torch.__path__, "torch.", onerror=lambda name: None):
            name = found.name.removeprefix("torch.")
            hidden = any(part.startswith("_") for part in name.split("."))
            if hidden or name.startswith(LEFT_OUT) or ".test" in name:
                continue
            try:
                yield name, importlib.import_module(found.name)
            except Exception:
                continue


def public(module):
    """What a module is asked for: what it defines or lists, and no module that it only imports."""
    listed = set(getattr(module, "__all__", ()))
    own = {n for n, v in _namespace(module).items() if _is_own(v, module)}
    return sorted(n for n in listed | own if not n.startswith("_"))


def _written(module):
    """Names of numbers, aliases of types and the like, which do not say where they are from: those that a
    module assigns, or imports from another one of PyTorch's."""
    try:
        statements = ast.parse(inspect.getsource(module)).body
    except (OSError, TypeError):
        return
    while statements:
        statement = statements.pop()
        for part in ("body", "orelse", "handlers", "finalbody"):
            if isinstance(statement, (ast.If, ast.Try, ast.ExceptHandler, ast.With)):
                statements += getattr(statement, part, [])
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            targets = getattr(statement, "targets", None) or [statement.target]
            yield from (n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name))
        elif isinstance(statement, ast.ImportFrom) and (
            statement.level or statement.module.split(".")[0] == "torch"
        ):
            yield from (alias.asname or alias.name for alias in statement.names)


def values(module):
    """What `public` leaves out of them, with all that a module only imports: a program that asks for one is
    not told that PyTorch lacks it."""
    there = {*dir(module), *_written(module)}
    there = {n for n in there if not n.startswith("_") and hasattr(module, n)}
    return sorted(there - {*public(module)})


def _namespace(module):
    """What a module has; some of torch.backends stand before another, with properties of their class."""
    behind = vars(module).get("m")
    return vars(module) if behind is None else {**vars(behind), **vars(type(module))}


def _is_own(value, module):
    if type(value) is type(torch):
        return value.__name__.startswith(module.__name__ + ".")
    defined = getattr(value, "__module__", None)
    return isinstance(defined, str) and defined.split(".")[0] == "torch"


def _is_top(name, value):
    """All but modules of others and inner types: C++ does not say where its functions are from."""
    foreign = type(value) is type(torch) and not value.__name__.startswith("torch.")
    inner = getattr(value, "__module__", None) in ("torch._C", "typing", "collections.abc")
    return not (name.startswith("_") or foreign or (inner and isinstance(value, type)))


def _home(name, value, module):
    """The module of HOMES, other than `module`, where an object has the same name: the one that defines it,
    or the first; None where there is none."""
    if isinstance(value, (bool, int, float, str, tuple, type(None), TypeVar)):
        return None  # equal ones are not the same
    defined = getattr(value, "__module__", None)
    for home in [defined, *HOMES] if defined in HOMES else HOMES:
        if home != module and getattr(sys.modules.get(home), name, None) is value:
            return home
    return None


def aliases(lines):
    """{module: {home: names}} of recorded names that a module has from elsewhere."""
    found = {}
    for line in lines:
        module, _, names = line.partition(":")
        holder = sys.modules.get(module)
        for name in names.split() if holder is not None else ():
            home = _home(name, getattr(holder, name, None), module)
            if home is not None:
                found.setdefault(module, {}).setdefault(home, []).append(name)
    return found


def classes(lines):
    """{module: names of the public classes that say they are from it}, but for those of `torch` itself and of
    packages that programs do not call."""
    found = {}
    for line in lines:
        module, _, names = line.partition(":")
        holder = sys.modules.get(module)
        for name in names.split() if holder is not None else ():
            value = getattr(holder, name, None)
            if not isinstance(value, type) or vars(value).get("__module__") is None:
                continue
            package, _, rest = value.__module__.partition(".")
            left_out = rest.startswith((*LEFT_OUT, "_", "distributed._", "distributed.fsdp"))
            if value.__name__ == name and package == "torch" and rest and not left_out:
                found.setdefault(value.__module__, set()).add(name)
    return found


def record_library():
    """The names of torch.library, and what its objects have."""
    import torch.library

    lines = [f"torch.library: {' '.join(public(torch.library))}"]
    for kind in (torch.library.Library, torch.library.CustomOpDef):
        names = (n for n in dir(kind) if not n.startswith("_"))
        lines.append(f"torch.library.{kind.__name__}: {' '.join(names)}")
    LIBRARY.write_text("\n".join(lines) + "\n")


def main():
    record_library()
    for home in HOMES:
        importlib.import_module(home)
    top = [n for n in dir(torch) if _is_top(n, getattr(torch, n))]
    lines = [f"torch: {' '.join(top)}"]
    lines.append(f"torch.Tensor: {' '.join(n for n in dir(torch.Tensor) if not n.startswith('_'))}")
    found = list(modules())
    lines += [f"torch.{name}: {' '.join(public(module))}" for name, module in found]
    TARGET.write_text("\n".join(sorted(lines)) + "\n")
    more = {f"torch.{name}": values(module) for name, module in found}
    there = {*dir(torch), *NOT_IN_DIR}
    more["torch"] = sorted({n for n in there if not n.startswith("_")} - {*top})
    text = [f"{name}: {' '.join(names)}" for name, names in sorted(more.items()) if names]
    VALUES.write_text("\n".join(text) + "\n")
    same = [
        f"{module}: " + " ".join(f"{home}={','.join(names)}" for home, names in homes.items())
        for module, homes in sorted(aliases(sorted(lines)).items())
    ]
    ALIASES.write_text("\n".join(same) + "\n")
    homes = classes(sorted(lines))
    text = [f"{module}: {' '.join(sorted(names))}" for module, names in sorted(homes.items())]
    CLASSES.write_text("\n".join(text) + "\n")
    print(f"{CLASSES.name}: {len(text)} modules, {CLASSES.stat().st_size / 1024:.0f} KiB")
    print(f"{ALIASES.name}: {len(same)} modules, {ALIASES.stat().st_size / 1024:.0f} KiB")
    print(f"{TARGET.name}: {len(lines)} modules, {TARGET.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
