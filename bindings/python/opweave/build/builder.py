"""From the sources of a library to its package: generate, compile, link, check, pack."""

import contextlib
import errno
import fcntl
import os
from pathlib import Path

from opweave.build.compiler_messages import entry_lines, explain
from opweave.build.errors import BuildError
from opweave.build.generate import generate, listed_operators, units
from opweave.build.installation import LINKED, check_installation
from opweave.build.missing_kernels import complaints
from opweave.build.ninja import run_ninja, write_ninja_file
from opweave.build.package import write_package
from opweave.build.toolchain import find_toolchain


@contextlib.contextmanager
def locked(folder):
    """Inside of the block no other process builds in the folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / ".lock").open("w")
    except OSError as error:
        raise BuildError(f"{folder}: a library cannot be built there: {error.strerror}") from None
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def _explained(folder):
    """What the system refuses while files are written, as a BuildError."""
    try:
        yield
    except OSError as error:
        hint = {
            errno.ENOSPC: "; remove what is not needed, or name another folder",
            errno.EDQUOT: "; remove what is not needed, or name another folder",
            errno.EACCES: "; name a folder that can be written",
            errno.EROFS: "; name a folder that can be written",
        }.get(error.errno, "")
        where = error.filename or folder
        raise BuildError(
            f"{where}: the library cannot be written: {error.strerror}{hint}"
        ) from None


def _compile(sources, work, verbose):
    """The linked library."""
    toolchain = find_toolchain()
    generated = work / "gen"
    library = work / f"{sources.name}.linked.so"
    write_ninja_file(work, toolchain, units(generated), sources.kernels, library.name)
    status, output = run_ninja(work, toolchain, verbose)
    if status != 0:
        find_toolchain(check=True)  # a compiler that cannot be used is what there is to say
        operators = listed_operators(generated)
        raise BuildError(explain(output, generated, sources.kernels, operators))
    return library


def _check_kernels(sources, library, generated, operators):
    """That every kernel that an entry declares is there, with its signature."""
    headers = sorted(generated.glob("opweave/kernels/cpu/*.h"))
    found = complaints(library, LINKED, list(sources.kernels), headers)
    if not found:
        return
    by_name = {op["name"].replace(".", "_"): op for op in operators}
    texts = []
    for complaint in found:
        op = by_name.get(complaint.operator)
        place = f"{op['place']}: " if op else ""
        texts.append(f"{place}error: {complaint.text}\n{entry_lines(op) if op else ''}")
    raise BuildError("".join(texts).rstrip())


def build_library(sources, work, place, verbose=False):
    """Builds a library as a Python package; what has not changed since the last time is not compiled again.

    Args:
        sources: `read_folder(...)`.
        work: folder for generated files and objects.
        place: folder that becomes the package.
        verbose: whether to show what the compiler does.

    Returns:
        `place`.

    Raises:
        BuildError: errors of the YAML, of kernels or of the compiler, or what cannot be read or
            written. The package of before is as it was.
    """
    check_installation()
    work, place = Path(work).resolve(), Path(place).resolve()
    for path in (work, *sources.all_files()):
        if "\n" in str(path):
            raise BuildError(
                f"{str(path)!r}: a path with a line break cannot be built: ninja has no way to write it"
            )
    with _explained(work), locked(work):
        generated = work / "gen"
        generate(sources, generated)
        operators = listed_operators(generated)
        library = _compile(sources, work, verbose)
        _check_kernels(sources, library, generated, operators)
        return write_package(sources, library, generated, operators, place)


def default_folders(sources):
    """Where `python -m opweave.build` works, and where it puts the package."""
    base = Path(os.path.relpath(sources.folder)) / "build"
    return base / "work", base / sources.name
