"""From the sources of a library to its package: generate, compile, link, check, pack."""

import contextlib
import fcntl
import os
import shlex
import sys
from pathlib import Path

from opweave.build.compiler_messages import entry_lines, explain
from opweave.build.cuda import find_cuda
from opweave.build.duplicates import by_identifier, duplicates
from opweave.build.errors import BuildError, explained
from opweave.build.exports import catches_exceptions_by_itself, defined_by_kernels, write_exports
from opweave.build.generate import generate, listed_operators, units
from opweave.build.installation import INCLUDE, LINKED, check_installation
from opweave.build.key import build_key
from opweave.build.missing_kernels import complaints
from opweave.build.ninja import Linked, Unit, run_ninja, write_ninja_file
from opweave.build.open_symbols import check_open_symbols
from opweave.build.package import write_package
from opweave.build.places import check_place, check_work, mark_work, write_record
from opweave.build.selection import without_unselected_kernels
from opweave.build.sources import HOST
from opweave.build.stable import (
    as_written,
    check_symbols,
    instead,
    link_words,
)
from opweave.build.target_parts import generated_files, needs_cuda, usable
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
        try:
            yield
        finally:
            # Closing does not do where a process was forked meanwhile, which has the file open, too.
            fcntl.flock(lock, fcntl.LOCK_UN)


def _units(sources, generated):
    """What the library itself is compiled of."""
    first = instead(generated) if sources.stable else ()
    written = (Unit(path, written=True, instead=first) for path in sources.kernels)
    return (*map(Unit, units(generated)), *written)


def _part(sources, generated, target, main):
    """The part for a target besides the CPU, linked after the library `main`."""
    cuda = needs_cuda(sources, target)
    headers = tuple(find_cuda().headers()) if cuda else ()
    files = [
        (path, by_nvcc, False) for path, by_nvcc in generated_files(sources, generated, target)
    ]
    files += [(path, path.suffix == ".cu", True) for path in sources.kernels_of(target)]
    return Linked(
        name=f"{sources.name}_{target}.linked.so",
        units=tuple(
            Unit(path, written, by_nvcc, () if by_nvcc else headers)
            for path, by_nvcc, written in files
        ),
        before=(main.name,),
        libraries=tuple(find_cuda().link_words()) if cuda else (),
    )


def _compile(sources, work, verbose):
    """The linked library, and those of its parts by target."""
    toolchain = find_toolchain()
    generated = work / "gen"
    # Parts find the library that is loaded by this name, which no other library has.
    soname = f"{sources.name}-{build_key(sources)}.so" if sources.targets else None
    more = link_words(generated) if sources.stable else write_exports(sources, work)
    main = Linked(f"{sources.name}.linked.so", _units(sources, generated), soname, libraries=more)
    parts = {target: _part(sources, generated, target, main) for target in sources.targets}
    write_ninja_file(work, toolchain, [main, *parts.values()])
    status, output = run_ninja(work, toolchain, verbose)
    if status != 0:
        find_toolchain(check=True)  # a compiler that cannot be used is what there is to say
        operators, kernels = listed_operators(generated), sources.handwritten()
        twice = duplicates(output, kernels, by_identifier(operators))
        raise BuildError(
            explain(output, generated, kernels, operators, headers=[INCLUDE], twice=twice)
        )
    if not verbose:
        _show_warnings(output)
    made = {target: work / linked.name for target, linked in {HOST: main, **parts}.items()}
    for path in made.values():
        if not path.is_file():
            raise BuildError(
                f"the C++ compiler '{shlex.join(toolchain.compiler)}' says nothing and has not written "
                f"{path}: it is none, or one that CXX names with options that keep it from compiling"
            )
    if not sources.stable:
        _check_cpp_library(toolchain, made[HOST])
    return made


def _check_cpp_library(toolchain, library):
    """That errors of the core can be caught in a library, and the other way round."""
    if catches_exceptions_by_itself(library):
        raise BuildError(
            f"the C++ compiler '{shlex.join(toolchain.compiler)}' puts a C++ library of its own into what it "
            "links (-static-libstdc++), which cannot pass on the errors of Opweave's: they would end the "
            "program. Name another compiler in CXX, or take the option out of LDFLAGS; with --stable it does "
            "no harm"
        )


def _show_warnings(output):
    """What the compiler has said of kernels that it has compiled."""
    lines = [line for line in output.splitlines() if not line.startswith("ninja: ")]
    if lines:
        print("\n".join(lines), file=sys.stderr)


def _complaints(sources, libraries, generated, target):
    """What is wrong with the kernels for a target."""
    headers = sorted(generated.glob(f"opweave/kernels/{target}/*.h"))
    if target == HOST:
        defined = defined_by_kernels(generated.parent)
        found = complaints(libraries[HOST], LINKED, list(sources.kernels), headers, known=defined)
        return list(map(as_written, found)) if sources.stable else found
    written = list(sources.kernels_of(target))
    return complaints(libraries[target], [*LINKED, libraries[HOST]], written, headers, part=True)


def _check_kernels(sources, libraries, generated, operators):
    """That every kernel that an entry declares is there, with its signature."""
    found = [c for target in libraries for c in _complaints(sources, libraries, generated, target)]
    by_name = by_identifier(operators)
    if not found:
        check_open_symbols(libraries[HOST], LINKED, sources.kernels, by_name, entry_lines)
        return
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
    sources = usable(sources)
    check_place(sources, place, work)
    check_work(sources, work)
    mark_work(work)
    with explained(work), locked(work):
        generated = work / "gen"
        generate(sources, generated)
        operators = listed_operators(generated)
        sources = without_unselected_kernels(sources, operators)
        libraries = _compile(sources, work, verbose)
        _check_kernels(sources, libraries, generated, operators)
        if sources.stable:
            check_symbols(libraries[HOST])
        write_package(sources, libraries, generated, operators, place)
        write_record(sources, work, place)
        return place


def default_folders(sources):
    """Where `python -m opweave.build` works, and where it puts the package."""
    base = Path(os.path.relpath(sources.folder)) / "build"
    return base / ".work", base / sources.name
