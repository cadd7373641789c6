"""Whether a library that was built in its folder is of the sources that are there now."""

import hashlib
import json
import warnings

# Beside the package, in the folder of generated files: neither is part of a wheel.
WORK = ".work"
RECORD = "sources.json"
_SOURCES = ("ops.yaml", "derivatives.yaml", "pyproject.toml", "kernels/**/*")
_SUFFIXES = {".yaml", ".toml", ".cc", ".h", ".cu", ".cuh"}


def digests(folder):
    """The files of a library in a folder: their names there -> hashes."""
    paths = sorted(path for glob in _SOURCES for path in folder.glob(glob) if path.is_file())
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in paths
        if path.suffix in _SUFFIXES
    }


def _differing(folder, built):
    now = digests(folder)
    for name in sorted({*now, *built}):
        if now.get(name) != built.get(name):
            yield f"{name} is {'new' if name not in built else 'gone' if name not in now else 'changed'}"


def warn_if_changed(package):
    """Warns where a package lies in the folder of its sources, and they have changed since it was built.

    Args:
        package: the folder of the package.
    """
    folder = package.parent.parent
    try:
        record = json.loads((package.parent / WORK / RECORD).read_text(encoding="utf-8"))
        if record["name"] != package.name:
            return
        differing = list(_differing(folder, record["files"]))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return  # it was built elsewhere, or installed
    if differing:
        more = ", …" if len(differing) > 3 else ""
        warnings.warn(
            f"the operator library '{package.name}' is older than its sources in {folder}: "
            f"{', '.join(differing[:3])}{more}; build it again: python -m opweave.build {folder}",
            RuntimeWarning,
            stacklevel=4,
        )
