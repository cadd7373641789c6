"""python -m opweave.as_torch [--report] SCRIPT [ARG...], or -m NAME [ARG...]: runs a program for PyTorch."""

import argparse
import io
import os
import runpy
import sys
import types


def _arguments():
    parser = argparse.ArgumentParser(
        prog="python -m opweave.as_torch",
        description="Runs a program written for PyTorch: every import of torch gets Opweave.",
    )
    parser.add_argument(
        "--report",
        action="store_true",
        help="at exit, list on stderr what was asked for and is lacking",
    )
    parser.add_argument(
        "-m",
        dest="module",
        nargs=argparse.REMAINDER,
        metavar=("NAME", "ARG"),
        help="run a module instead of a file",
    )
    parser.add_argument("script", nargs=argparse.REMAINDER, metavar="SCRIPT [ARG...]")
    given = parser.parse_args()
    if not (given.module or given.script):
        parser.error("expected a SCRIPT or -m NAME")
    return given


def run_script(path):
    """Runs a file as Python itself would, as the module __main__, which stays there until the end."""
    main = types.ModuleType("__main__")
    main.__file__ = path
    main.__builtins__ = __builtins__
    with io.open_code(path) as file:
        code = compile(file.read(), path, "exec")
    sys.modules["__main__"] = main
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    exec(code, main.__dict__)


def run_module(name):
    """Runs a module as `python -m` does."""
    sys.path[0] = os.getcwd()
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def main():
    """The program's own arguments become sys.argv."""
    given = _arguments()
    from opweave import as_torch
    from opweave.as_torch import _reporting

    as_torch.install()
    if given.report:
        _reporting.start()
    if given.module:
        sys.argv[:] = given.module
        run_module(given.module[0])
    else:
        sys.argv[:] = given.script
        run_script(given.script[0])


if __name__ == "__main__":
    main()
