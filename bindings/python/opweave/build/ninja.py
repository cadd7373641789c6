"""Compiles and links, what has changed since the last time."""

import os
import re
import shlex
import subprocess
from dataclasses import dataclass

from opweave.build.cuda import WARNINGS as CUDA_WARNINGS
from opweave.build.cuda import find_cuda
from opweave.build.errors import BuildError, words_of
from opweave.build.installation import INCLUDE, LINKED, core_identity

_RULES = """\
ninja_required_version = 1.8
rule compile
  command = {compile} -MD -MF $out.d $more -c $in -o $out
  depfile = $out.d
  deps = gcc
  description = Compiling $in
rule link
  command = {link} $more -o $out $in {libraries} $with
  description = Linking $out
"""
_CUDA_RULE = """\
rule compile_cuda
  command = {compile} -MD -MF $out.d $more -x cu -c $in -o $out
  depfile = $out.d
  deps = gcc
  description = Compiling $in
"""
# Of the kernels that people write.
_WARNINGS = "-Wall -Wextra"


@dataclass(frozen=True)
class Unit:
    """A file to compile.

    Args:
        path: of the file.
        written: by a person, who is warned of what looks wrong.
        cuda: whether nvcc compiles it.
        headers: folders of headers of others.
        instead: folders of headers that are taken in the place of others of their names.
    """

    path: object
    written: bool = False
    cuda: bool = False
    headers: tuple = ()
    instead: tuple = ()

    def lines(self, to):
        """The statement of ninja that makes the object `to`."""
        more = [word for folder in self.instead for word in ("-iquote", str(folder))]
        more += [f"-isystem{folder}" for folder in self.headers]
        if self.written:
            more += CUDA_WARNINGS if self.cuda else _WARNINGS.split()
        rule = "compile_cuda" if self.cuda else "compile"
        lines = [f"build {to}: {rule} {escaped(self.path.resolve())}"]
        return [*lines, f"  more = {_command(more)}"] if more else lines


@dataclass(frozen=True)
class Linked:
    """A shared library to link.

    Args:
        name: its file.
        units: what it is made of.
        soname: by which others find it when it is loaded.
        before: other libraries of the same build that it is linked with.
        libraries: words for the linker after the objects.
    """

    name: str
    units: tuple
    soname: str | None = None
    before: tuple = ()
    libraries: tuple = ()


def escaped(path):
    """As ninja writes a path."""
    return re.sub(r"([$ :])", r"$\1", str(path))


def _command(words):
    return shlex.join(words).replace("$", "$$")


def _link_lines(library, objects):
    inputs = [*objects, *(escaped(name) for name in library.before)]
    lines = [f"build {escaped(library.name)}: link {' '.join(inputs)}"]
    if library.soname:
        lines.append(f"  more = {_command([f'-Wl,-soname,{library.soname}'])}")
    if library.libraries:
        lines.append(f"  with = {_command(library.libraries)}")
    return lines


def _libraries_of_others():
    """Those in LDFLAGS: linkers take of a library what something before it calls."""
    return [word for word in words_of("LDFLAGS") if word.startswith("-l")]


def write_ninja_file(folder, toolchain, libraries):
    """build.ninja in `folder`; objects are named by number, as sources may come from anywhere."""
    # Headers of another core may be older than the objects: ninja compares times, and commands.
    core = f"-DOPWEAVE_CORE={core_identity()}"
    text = _RULES.format(
        compile=_command([*toolchain.compile_words(folder / "gen"), core]),
        link=_command(toolchain.link_words()),
        # Libraries for every release need none of them, but for mathematics of vectors.
        libraries=_command(["-Wl,--as-needed", *map(str, LINKED), *_libraries_of_others()]),
    )
    if any(unit.cuda for library in libraries for unit in library.units):
        words = find_cuda().compile_words(toolchain.program(), [folder / "gen", INCLUDE])
        text += _CUDA_RULE.format(compile=_command([*words, core]))
    lines, count = [text], 0
    for library in libraries:
        objects = []
        for unit in library.units:
            kind = "kernel" if unit.written else "generated"
            objects.append(escaped(f"{kind}_{unit.path.stem}_{count}.o"))
            lines += unit.lines(objects[-1])
            count += 1
        lines += _link_lines(library, objects)
    (folder / "build.ninja").write_text("\n".join([*lines, ""]), encoding="utf-8")


def run_ninja(folder, toolchain, verbose=False):
    """BuildError with what the compiler said, as `output`."""
    command = [toolchain.ninja, "-C", str(folder), *(["-v"] if verbose else ["--quiet"])]
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}  # messages are read
    try:
        result = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            check=False, env=environment,
        )  # fmt: skip
    except OSError as error:
        raise BuildError(f"ninja ({toolchain.ninja}) cannot be run: {error.strerror}") from None
    if verbose:
        print(result.stdout, flush=True)
    return result.returncode, result.stdout
