"""Compiles and links, what has changed since the last time."""

import os
import re
import shlex
import subprocess

from opweave.build.errors import BuildError
from opweave.build.installation import LINKED

_RULES = """\
ninja_required_version = 1.8
rule compile
  command = {compile} -MD -MF $out.d $more -c $in -o $out
  depfile = $out.d
  deps = gcc
  description = Compiling $in
rule link
  command = {link} -o $out $in {libraries}
  description = Linking $out
"""
# Of the kernels that people write.
_WARNINGS = "-Wall -Wextra"


def _escaped(path):
    return re.sub(r"([$ :])", r"$\1", str(path))


def _command(words):
    return shlex.join(words).replace("$", "$$")


def write_ninja_file(folder, toolchain, generated, kernels, library):
    """build.ninja in `folder`; objects are named by number, as sources may come from anywhere."""
    lines = [
        _RULES.format(
            compile=_command(toolchain.compile_words(folder / "gen")),
            link=_command(toolchain.link_words()),
            libraries=_command(map(str, LINKED)),
        )
    ]
    objects = []
    for kind, files in (("generated", generated), ("kernel", kernels)):
        for path in files:
            objects.append(f"{kind}_{path.stem}_{len(objects)}.o")
            lines.append(f"build {objects[-1]}: compile {_escaped(path.resolve())}")
            if kind == "kernel":
                lines.append(f"  more = {_WARNINGS}")
    lines.append(f"build {_escaped(library)}: link {' '.join(objects)}")
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
