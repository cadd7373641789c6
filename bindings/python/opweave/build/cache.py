"""Libraries that were built before, by what they were built from."""

import atexit
import functools
import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from opweave._libraries import check_manifest, files_of, read_manifest
from opweave.build import locks
from opweave.build.builder import build_library, locked
from opweave.build.errors import BuildError
from opweave.build.installation import check_installation
from opweave.build.key import build_key
from opweave.build.target_parts import usable

# No library can have this name.
_WORK = ".work"


def cache_folder():
    """OPWEAVE_CACHE, or `opweave/libraries` in the user's cache."""
    if given := os.environ.get("OPWEAVE_CACHE"):
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base, "opweave", "libraries")


def _is_whole(place):
    """Whether what was built before can be loaded."""
    try:
        manifest = read_manifest(place)
        check_manifest(manifest)
        return all(
            hashlib.sha256((place / name).read_bytes()).hexdigest() == digest
            for name, digest in files_of(manifest)
        )
    except (ImportError, OSError, ValueError, RecursionError):  # whatever stands in a file
        return False


def _can_be_written(folder):
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def cached_library(sources, verbose=False):
    """The folder of the library's package, built if it is not in the cache.

    A cache that cannot be written serves what it has; what it lacks is built in a folder that goes
    when the process ends. Two processes that want the same build it once.
    """
    check_installation()
    sources = usable(sources)
    folder = cache_folder()
    place = folder / build_key(sources) / sources.name
    if _is_whole(place):
        return place
    if not _can_be_written(folder):
        return _build_for_this_process(sources, verbose)
    with locked(place.parent):
        if _is_whole(place):  # another process was first
            return place
        work = place.parent / _WORK
        for left in (place, work):  # damaged, or by a build that was killed
            shutil.rmtree(left, ignore_errors=True)
        try:
            return build_library(sources, work, place, verbose)
        finally:
            shutil.rmtree(work, ignore_errors=True)


_places = {}  # of what was built for this process, by its key


def _remove(folder, process):
    if os.getpid() == process:  # and not a child of fork, which ends earlier
        shutil.rmtree(folder, ignore_errors=True)


@functools.cache
def scratch_folder():
    """A folder that goes when the process ends.

    Raises:
        BuildError: there is no room for temporary files.
    """
    try:
        folder = tempfile.mkdtemp(prefix="opweave-")
    except OSError as error:
        raise BuildError(
            f"neither {cache_folder()} nor a temporary folder can be written: {error.strerror}; "
            "name a folder in OPWEAVE_CACHE"
        ) from None
    atexit.register(_remove, folder, os.getpid())
    return Path(folder)


def _build_for_this_process(sources, verbose):
    key = build_key(sources)
    with locks.building:
        if key not in _places:
            folder = scratch_folder() / key
            _places[key] = build_library(sources, folder / _WORK, folder / sources.name, verbose)
        return _places[key]
