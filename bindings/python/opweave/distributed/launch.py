"""The launcher as programs knew it that read `--local-rank`: python -m opweave.distributed.launch.

Deprecated in PyTorch, whose flags and default it has: each process gets `--local-rank=N` as its first
argument, unless `--use-env` says that it reads LOCAL_RANK. `opweave.distributed.run` is the one to use.
"""

import sys

from opweave.distributed.run import arguments as _arguments
from opweave.distributed.run.launcher import main as _run

__all__ = ["launch", "main", "parse_args"]


def _parser():
    parser = _arguments.get_args_parser()
    parser.prog = "python -m opweave.distributed.launch"
    parser.add_argument(
        *("--use-env", "--use_env"),
        action="store_true",
        help="processes read LOCAL_RANK from their environment, and get no --local-rank=N",
    )
    return parser


def parse_args(args=None):
    """The flags of a command line."""
    return _parser().parse_args(args)


def main(args=None):
    """Runs what a command line says. Returns 0, 1 after a failure or a signal, 2 for a wrong command."""
    given = parse_args(args)
    if given.no_python and not given.use_env:
        _parser().error("--no-python: another program than Python needs --use-env as well")
    return _run(args, _parser())


launch = main

if __name__ == "__main__":
    sys.exit(main())
