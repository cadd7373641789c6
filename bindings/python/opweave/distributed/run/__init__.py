"""Starts a program as several processes: python -m opweave.distributed.run, with torchrun's flags.

docs/training.md tells how. `arguments` reads the command, `launcher` runs it.
"""

from opweave.distributed.run.arguments import get_args_parser
from opweave.distributed.run.launcher import main

__all__ = ["get_args_parser", "main"]
