"""Builds, tests and packs operator libraries."""

import argparse
import shlex
import sys
import time
from pathlib import Path

from opweave.build import BuildError, build_library, default_folders, read_folder
from opweave.build.conformance import run_tests
from opweave.build.extensions import FRAMEWORKS, write_extension
from opweave.build.new import TEMPLATES, write_new
from opweave.build.selection import with_selection
from opweave.build.sources import HOST
from opweave.build.stable import for_every_release
from opweave.build.wheel import write_wheel


def _add_library(parser):
    parser.add_argument("folder", type=Path, nargs="?", default=Path(), help="with ops.yaml (.)")
    parser.add_argument("--name", help="of the library (that of pyproject.toml, or the folder's)")
    parser.add_argument(
        "--targets", type=lambda text: text.split(","), metavar="NAME,…",
        help="the hardware to build for: cpu, and others (those that pyproject.toml names, or with kernels)",
    )  # fmt: skip
    parser.add_argument(
        "--select",
        type=Path,
        metavar="FILE",
        help="build the operators that a selection names alone",
    )
    parser.add_argument(
        "--stable",
        action="store_true",
        help="for every release of Opweave, on the CPU",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="show what the compiler does")


def _parser():
    parser = argparse.ArgumentParser(prog="python -m opweave.build", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    build = commands.add_parser("build", help="build a library (the word can be left out)")
    _add_library(build)
    build.add_argument("--out", type=Path, help="the package's folder (FOLDER/build/NAME)")
    build.add_argument(
        "--work", type=Path, help="for generated files and objects (FOLDER/build/.work)"
    )
    new = commands.add_parser("new", help="write a library to start from")
    new.add_argument("folder", type=Path, help="that does not exist; its name is the library's")
    new.add_argument("--like", choices=TEMPLATES, default="kernel", help="; ".join(
        f"{name}: {text}" for name, text in TEMPLATES.items()
    ))  # fmt: skip
    test = commands.add_parser("test", help="build a library and run the tests of its operators")
    _add_library(test)
    test.add_argument(
        "--target", default=HOST, metavar="NAME", help=f"the hardware to test on ({HOST})"
    )
    test.add_argument(
        "--pytest", nargs=argparse.REMAINDER, default=[], metavar="…", help="words for pytest"
    )
    for name, framework in FRAMEWORKS.items():
        other = commands.add_parser(
            name, help=f"write a package for {framework.title} with the operators"
        )
        _add_library(other)
        other.add_argument("--out", type=Path, help=f"its folder (NAME_{name})")
    wheel = commands.add_parser("wheel", help="build a library and pack it for pip")
    _add_library(wheel)
    wheel.add_argument("--out", type=Path, default=Path("dist"), help="folder for the wheel (dist)")
    return parser


def _sources(given):
    sources = with_selection(read_folder(given.folder, given.name, given.targets), given.select)
    return for_every_release(sources) if given.stable else sources


def _build(given):
    start = time.perf_counter()
    sources = _sources(given)
    work, place = default_folders(sources)
    place = build_library(sources, given.work or work, given.out or place, given.verbose)
    seconds = time.perf_counter() - start
    print(
        f"built {place} in {seconds:.1f} s; to use it: PYTHONPATH={shlex.quote(str(place.parent))} python"
    )


def _new(given):
    folder = write_new(given.folder, given.like)
    print(f"wrote {folder}; next: python -m opweave.build test {folder}")


def _test(given):
    sys.exit(run_tests(_sources(given), given.pytest, given.verbose, given.target))


def _extension(given):
    sources, framework = _sources(given), FRAMEWORKS[given.command]
    name = Path(f"{sources.name}_{given.command}")
    out = write_extension(sources, given.out or name, framework)
    # To pip a relative path without a slash is a name.
    place = shlex.quote(str(out if out.is_absolute() else f"./{out}"))
    print(
        f"wrote {out}; next, where {framework.title} is: pip install --no-build-isolation {place}"
    )


def _wheel(given):
    print(f"wrote {write_wheel(_sources(given), given.out, given.verbose)}")


_COMMANDS = {
    "build": _build,
    "new": _new,
    "test": _test,
    "wheel": _wheel,
    **dict.fromkeys(FRAMEWORKS, _extension),
}


def main(words=None):
    words = list(sys.argv[1:] if words is None else words)
    # `python -m opweave.build my_ops/`
    if not words or words[0] not in (*_COMMANDS, "-h", "--help"):
        words.insert(0, "build")
    given = _parser().parse_args(words)
    try:
        _COMMANDS[given.command](given)
    except BuildError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
