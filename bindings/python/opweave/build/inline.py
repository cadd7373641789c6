"""compile_ops: operators from YAML to callable functions within a program."""

import contextlib
import ctypes
import hashlib
import os
import re
import tempfile
from pathlib import Path

from opweave._libraries import load
from opweave.build import locks
from opweave.build.cache import cache_folder, cached_library, scratch_folder
from opweave.build.errors import BuildError
from opweave.build.selection import with_selection
from opweave.build.sources import HOST, Sources, check_name, check_targets, read_folder

_loaded = {}  # modules and what registers their operators, by the folder of the package


def compile_ops(
    ops, derivatives=None, kernels=(), *, targets=None, name=None, select=None, verbose=False
):
    """Makes operators of YAML available in this process; built once, and then taken from a cache.

    Args:
        ops: the operators: a path of a YAML file or of a library's folder, or the YAML itself.
        derivatives: the gradients, likewise; operators with an `expr` need none.
        kernels: paths of files with handwritten kernels: `.cc` for the CPU, `.cu` for 'cuda'; or a mapping of
            targets to such lists.
        targets: the hardware to compile for, the CPU among it; by default that and what has kernels.
        name: of the library; by default that of the file, and of YAML one that its operators make. A
            library takes the place of one of the same name, whose functions go.
        select: path of a selection, a YAML file that says which operators to build; by default all.
        verbose: whether to show what the compiler does.

    Returns:
        The library's module: its functions are also those of `opweave`, as the entries say, and its
        operators those of `opweave.ops`.

    Raises:
        BuildError: what is wrong with the YAML, a kernel, the compiler or the cache.
        ImportError: an operator's name is taken.

    Example:
        >>> import opweave
        >>> ops = opweave.compile_ops('''
        ... - func: cube(Tensor self) -> Tensor
        ...   expr: self * self * self
        ...   dtypes: floating
        ...   samples: {self: real}
        ... ''')
        >>> ops.cube(opweave.tensor([1.0, 2.0]))
        tensor([1., 8.])
    """
    sources = with_selection(_sources(ops, derivatives, kernels, targets, name), select)
    place = cached_library(sources, verbose)
    # Of two threads one loads, and the second gets what it has loaded.
    with locks.loading:
        if place in _loaded:
            module, register = _loaded[place]
            register()  # another may have taken its place since; else nothing happens
            return module
        module = load(place)
        _loaded[place] = module, _registration(module)
        return module


def _registration(module):
    """The function of the extension that Python calls at an import, and calls once."""
    function = getattr(ctypes.PyDLL(module.__file__), f"PyInit_{module.__name__}")
    function.restype = ctypes.py_object
    return function


def _sources(ops, derivatives, kernels, targets, name):
    if not _is_yaml(ops, "ops") and Path(ops).is_dir():
        if derivatives is not None or kernels:
            raise TypeError("compile_ops(): of a folder derivatives and kernels are in it")
        return read_folder(ops, name, targets)
    file = _file(ops, "ops")
    if name is None:
        name = _name_of(ops, file)
    check_name(name, "compile_ops()")
    pairs = [(target, _existing(path, "kernels")) for target, path in _by_target(kernels)]
    others = tuple(pair for pair in pairs if pair[0] != HOST)
    if targets is None:
        wanted = tuple(dict.fromkeys(target for target, _ in others))
    else:
        wanted = check_targets(targets, "compile_ops(): targets")
    sources = Sources(
        name=name,
        version="0",
        ops=(file,),
        derivatives=() if derivatives is None else (_file(derivatives, "derivatives"),),
        kernels=tuple(path for target, path in pairs if target == HOST),
        folder=file.parent,
        target_kernels=others,
    )
    return sources.only_for(wanted)


def _by_target(kernels):
    """Pairs of a target and a path."""
    if isinstance(kernels, str | Path):
        raise TypeError(
            "compile_ops(): kernels: expected a list of paths, got one; put it into a list"
        )
    if not isinstance(kernels, dict):
        return [("cuda" if Path(path).suffix == ".cu" else HOST, path) for path in kernels]
    return [(target, path) for target, paths in kernels.items() for _, path in _by_target(paths)]


def _name_of(ops, file):
    """Of YAML after its operators, so that a library whose entries are edited takes its own place."""
    if not _is_yaml(ops, "ops"):
        return file.stem if file.stem != "ops" else file.resolve().parent.name
    names = re.findall(r"^- +func: *[\"']?(\w+)", ops, re.MULTILINE)
    if len(names) > 3:
        names = [hashlib.sha256(" ".join(sorted(names)).encode()).hexdigest()[:12]]
    return "_".join(["ops", *names])


def _is_yaml(value, argument):
    if not isinstance(value, str | Path):
        raise TypeError(
            f"compile_ops(): {argument}: expected a path or YAML as a string, got {type(value).__name__}"
        )
    return isinstance(value, str) and ("\n" in value or value.lstrip().startswith("- "))


def _existing(path, argument):
    if not Path(path).is_file():
        raise BuildError(f"compile_ops(): {argument}: there is no file '{path}'")
    return Path(path)


def _file(value, argument):
    """The path of a file, or of one that holds the YAML."""
    if not _is_yaml(value, argument):
        return _existing(value, argument)
    name = Path("texts", hashlib.sha256(value.encode()).hexdigest()[:12], f"{argument}.yaml")
    path = cache_folder() / name
    try:
        _write(path, value)
    except OSError:  # the cache may serve what it has all the same
        path = scratch_folder() / name
        _write(path, value)
    return path


def _write(path, text):
    with contextlib.suppress(OSError, UnicodeDecodeError):
        if path.read_text(encoding="utf-8") == text:
            return
    path.parent.mkdir(parents=True, exist_ok=True)
    # Other threads and processes may be writing the same.
    with tempfile.NamedTemporaryFile(
        "w", dir=path.parent, encoding="utf-8", delete=False
    ) as scratch:
        scratch.write(text)
    os.replace(scratch.name, path)
