"""Folders that a build fills: what lies there already has to be its own."""

import json
import os

from opweave._built_sources import RECORD, WORK, digests
from opweave.build.errors import BuildError

# In folders for generated files and objects, so that a later build knows them.
_MARK = ".opweave-work"


def _entries(folder):
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise BuildError(f"{folder}: a library cannot be built there: {error.strerror}") from None


def _is_package(place, name):
    """Whether a library of the name was built there before. A manifest that is damaged is one as well."""
    manifest = place / "library.json"
    if not manifest.is_file():
        return False
    try:
        found = json.loads(manifest.read_text(encoding="utf-8"))["name"]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return {".py", ".pyi", ".json", ".typed", ".so", ""} >= {p.suffix for p in place.iterdir()}
    return found == name


def _check_sources(sources, folder, what):
    inside = [path for path in sources.all_files() if path.resolve().is_relative_to(folder)]
    if inside:
        raise BuildError(
            f"{folder}: cannot be {what}, which a build replaces: {inside[0]} is in it, of which the library "
            "is built; name another folder"
        )


def check_place(sources, place, work):
    """BuildError if the package in `place` would take the place of what no build of this library made."""
    _check_sources(sources, place, "the folder of the package")
    if work.is_relative_to(place):
        raise BuildError(
            f"{place}: cannot be the folder of the package, which a build replaces: it holds {work}, where "
            "the library is compiled; name another folder"
        )
    if _entries(place) and not _is_package(place, sources.name):
        raise BuildError(
            f"{place}: is not empty and holds no library '{sources.name}' that was built before, so that "
            "nothing there is replaced; name another folder"
        )


def check_work(sources, work):
    """BuildError if a build would remove files in `work` that are not its own."""
    _check_sources(sources, work, "the folder for generated files")
    if _entries(work) and not (work / _MARK).exists():
        raise BuildError(
            f"{work}: is not empty and no build has worked there, so that nothing there is touched; name "
            "another folder for generated files and objects"
        )


def write_record(sources, work, place):
    """Notes what a package was built of, where it lies in the folder of its sources: an import of it says
    when they are others by now.
    """
    folder = sources.folder.resolve()
    if place.parent != folder / "build" or work != place.parent / WORK:
        return
    record = {"name": sources.name, "files": digests(folder)}
    (work / RECORD).write_text(json.dumps(record), encoding="utf-8")


def mark_work(work):
    """Makes the folder one in which builds work."""
    try:
        work.mkdir(parents=True, exist_ok=True)
        (work / _MARK).touch()
    except OSError as error:
        raise BuildError(f"{work}: a library cannot be built there: {error.strerror}") from None
