"""Loads operator libraries that were built outside of Opweave, if this core is one they can run on."""

import contextlib
import ctypes
import hashlib
import importlib.machinery
import importlib.util
import json
import pathlib
import re
import sys

from opweave import _C, _built_sources, _stable_libraries, _targets
from opweave._version import __version__

# Of library.json. A newer one is refused: it may say what this core does not understand. Before 2 layouts of
# classes were written down otherwise.
FORMAT = 2
_MANIFEST = "library.json"
_CLASSES = pathlib.Path(__file__).parent / "share" / "classes.json"


def schema_hash(schema):
    """Of what a caller of an operator is compiled with."""
    return hashlib.sha256(schema.encode()).hexdigest()[:16]


def class_layouts():
    """The core's classes that compiled code knows: name -> hash of its layout.

    Raises:
        ImportError: the installation lacks the list, or it is damaged: nothing can be compared.
    """
    try:
        layouts = json.loads(_CLASSES.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ImportError(
            f"{_CLASSES}: how the core's classes are laid out cannot be read: {error}; install opweave again"
        ) from None
    return layouts


def _is_operator(value):
    names = isinstance(value, dict) and [value.get(key) for key in ("name", "schema", "place")]
    return (
        bool(names)
        and all(isinstance(n, str) for n in names)
        and isinstance(value.get("derived"), bool)
    )


def _maps_text(value):
    return isinstance(value, dict) and all(isinstance(v, str) for v in value.values())


# What each part of a manifest has to be.
_PARTS = {
    "name": (lambda v: isinstance(v, str) and v.isidentifier(), "a name"),
    "library": (
        lambda v: isinstance(v, str) and v.endswith(".so") and v == pathlib.Path(v).name,
        "a file",
    ),
    "sha256": (lambda v: isinstance(v, str), "text"),
    "opweave": (lambda v: isinstance(v, str), "text"),
    "operators": (
        lambda v: isinstance(v, list) and all(map(_is_operator, v)),
        "a list of operators",
    ),
}
# And of one that is compiled with the core's classes, or of one for every release (`faces`).
_PARTS_WITH_CLASSES = {
    "interface": (lambda v: type(v) is int, "a number"),
    "uses": (_maps_text, "a mapping of operators"),
    "classes": (lambda v: bool(v) and _maps_text(v), "a mapping of classes"),
}
_PARTS_OF_STABLE = {"faces": (_stable_libraries.are_faces, "a list of functions")}


def is_stable(manifest):
    """Whether a library is one for every release: its shared library says itself what it needs."""
    return "faces" in manifest


def files_of(manifest):
    """The shared libraries of a library, each with its hash: the extension and, by target, its parts."""
    yield manifest["library"], manifest["sha256"]
    for part in manifest["targets"].values():
        yield part["library"], part["sha256"]


def _is_part(value):
    return isinstance(value, dict) and all(
        _PARTS[k][0](value.get(k)) for k in ("library", "sha256")
    )


def _check_targets(manifest, path):
    targets = manifest.setdefault("targets", {})  # libraries of before have none
    if not isinstance(targets, dict) or not all(map(_is_part, targets.values())):
        raise ImportError(
            f"{path}: the manifest of an operator library is damaged: 'targets' is no mapping of files"
        )


def _check_parts(manifest, path):
    more = _PARTS_OF_STABLE if is_stable(manifest) else _PARTS_WITH_CLASSES
    for part, (is_right, what) in {**_PARTS, **more}.items():
        if part not in manifest:
            raise ImportError(
                f"{path}: the manifest of an operator library is damaged: it has no '{part}'"
            )
        if not is_right(manifest[part]):
            raise ImportError(
                f"{path}: the manifest of an operator library is damaged: '{part}' is no "
                f"{what.removeprefix('a ')}"
            )


def read_manifest(folder):
    """The manifest of a library.

    Raises:
        ImportError: there is none, or it is damaged or newer than this core understands.
    """
    path = pathlib.Path(folder) / _MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ImportError(f"{folder}: this is no operator library: it has no {_MANIFEST}") from None
    except (OSError, ValueError) as error:
        raise ImportError(
            f"{path}: the manifest of an operator library is damaged: {error}"
        ) from None
    if not isinstance(manifest, dict) or type(manifest.get("format")) is not int:
        raise ImportError(
            f"{path}: the manifest of an operator library is damaged: it has no format"
        )
    if manifest["format"] > FORMAT:
        raise ImportError(
            f"{path}: made by opweave {manifest.get('opweave')}, whose libraries have format "
            f"{manifest['format']}; this opweave {__version__} reads formats up to {FORMAT}: update it, "
            "or build the library again"
        )
    _check_parts(manifest, path)
    _check_targets(manifest, path)
    return manifest


def _changed_operators(manifest):
    for name, expected in manifest["uses"].items():
        operator = _C._find_operator(name)
        if operator is None:
            yield f"  {name}: there is no such operator any more"
        elif schema_hash(operator.schema) != expected:
            yield f"  {name}: it is now {operator.schema}"


def _changed_classes(manifest):
    now = class_layouts()
    return [name for name, layout in manifest["classes"].items() if now.get(name) != layout]


def _refuse(manifest, why):
    own = ", ".join(op["name"] for op in manifest["operators"] if not op["derived"])
    raise ImportError(
        f"the operator library '{manifest['name']}' ({own}) was built for opweave {manifest['opweave']} "
        f"and cannot run on opweave {__version__}: {why}\nBuild it again: python -m opweave.build FOLDER"
    )


def _demangled(symbol):
    """As C++ writes it, where its library is there to say that."""
    try:
        demangle = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
    except (OSError, AttributeError):
        return symbol
    demangle.restype = ctypes.c_void_p
    text = demangle(symbol.encode(), None, None, None)
    if not text:
        return symbol
    try:
        return ctypes.string_at(text).decode(errors="replace")
    finally:
        free = ctypes.CDLL(None).free
        free.argtypes = [ctypes.c_void_p]
        free(text)


def check_manifest(manifest):
    """ImportError, with the operators that it is about, if the library cannot run on this core."""
    if manifest["format"] < FORMAT:
        _refuse(
            manifest,
            f"its {_MANIFEST} has format {manifest['format']}, whose layouts of classes nobody can compare "
            "any more",
        )
    if is_stable(manifest):
        return
    least, most = _C._library_interfaces
    if not least <= manifest["interface"] <= most:
        _refuse(
            manifest,
            f"it has version {manifest['interface']} of the interface of libraries, this core knows "
            f"{f'versions {least} to {most}' if least < most else f'version {most}'}",
        )
    if changed := list(_changed_operators(manifest)):
        _refuse(manifest, "operators that it calls have changed:\n" + "\n".join(changed))
    if changed := _changed_classes(manifest):
        names = ", ".join(changed[:5]) + (", …" if len(changed) > 5 else "")
        _refuse(manifest, f"classes that it is compiled with are laid out otherwise: {names}")


def _check_file(path, digest):
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ImportError(f"{path}: {error.strerror}") from None
    if hashlib.sha256(content).hexdigest() != digest:
        raise ImportError(
            f"{path}: not the file that was built: it is damaged, or {_MANIFEST} beside it is another "
            "library's; build the library again"
        )


def _extension(name, path):
    """Loads the extension module of a library, which registers its operators."""
    loader = importlib.machinery.ExtensionFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    return importlib.util.module_from_spec(spec)


def load(folder):
    """The extension module of a library that `python -m opweave.build` made; registers its operators.

    Raises:
        ImportError: the library cannot run on this core, is damaged, or has operators of names that
            are taken; nothing is registered then.
    """
    folder = pathlib.Path(folder)
    manifest = read_manifest(folder)
    path = folder / manifest["library"]
    check_manifest(manifest)
    for file, digest in files_of(manifest):
        _check_file(folder / file, digest)
    if is_stable(manifest):
        return _stable_libraries.load(manifest, path)
    try:
        module = _extension(manifest["name"], path)
    except ImportError as error:
        if "undefined symbol" not in str(error):
            raise
        return _refuse(manifest, _missing_symbol(manifest, str(error)))
    for target, part in manifest["targets"].items():
        _targets.add_part(target, folder / part["library"])
    return module


_KERNEL = re.compile(r"opweave::(\w+)::(\w+)\(")


def _missing_symbol(manifest, text):
    """What a function is that nobody has: a kernel of the library, or one of the core."""
    symbol = _demangled(text.rpartition("undefined symbol: ")[2].partition(" ")[0])
    kernel = _KERNEL.match(symbol)
    for op in manifest["operators"]:
        if kernel and op["name"].replace(".", "_") == kernel[2]:
            return (
                f"nothing in it defines {symbol}, the kernel of '{op['name']}' ({op['place']}) for the "
                f"target '{kernel[1]}': write it into kernels/{kernel[1]}"
            )
    return f"it calls a function that this core does not have ({symbol})"


def load_built(package_name, file, targets):
    """Called by the `__init__.py` that Bazel makes for a library with parts.

    Args:
        package_name: the library's name; its package becomes what the module is.
        file: of the package: the module and its parts lie beside its folder.
        targets: those that the library has parts for: <name>_<target>.so.
    """
    folder = pathlib.Path(file).parent.parent
    with _filled(package_name) as functions:
        functions |= vars(_extension(package_name, folder / f"{package_name}.so"))
    for target in targets:
        _targets.add_part(target, folder / f"{package_name}_{target}.so")


def load_package(package_name, file):
    """Called by the `__init__.py` of a library's package: puts the functions of the library into it."""
    folder = pathlib.Path(file).parent
    with _filled(package_name) as functions:
        functions |= vars(load(folder))
    _built_sources.warn_if_changed(folder)


@contextlib.contextmanager
def _filled(package_name):
    """Gives a dict, whose public names the package has afterwards.

    Python puts an extension module into the place of the package that has its name.
    """
    package, functions = sys.modules[package_name], {}
    try:
        yield functions
    finally:
        sys.modules[package_name] = package
    public = {name: value for name, value in functions.items() if not name.startswith("_")}
    vars(package).update(public)
    package.__all__ = sorted(public)
