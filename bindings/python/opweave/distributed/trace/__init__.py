"""What this process has done with others: its flight record, and what the records of all ranks say together.

Each process remembers its last collectives (2,000; `TORCH_FR_BUFFER_SIZE`): what was called, from which line
of the program, when it was queued, began and ended. When a group fails, each rank writes them as JSON;
`python -m opweave.distributed.trace FOLDER` reads the files of all ranks, names the first place where they
part, and draws a timeline. docs/failures.md tells more.

`TrainingTimeline` draws the backward passes of a model that is trained in several processes.
"""

import json

from opweave._distributed import _dump_flight_record, _flight_record, _watchdog_heartbeat
from opweave.distributed.trace.training import TrainingTimeline

__all__ = ["TrainingTimeline", "dump", "flight_record", "heartbeat"]


def flight_record():
    """The flight record of this process, as the dict that a dump has as JSON."""
    return json.loads(_flight_record("flight_record() was called"))


def dump(path=None):
    """Writes the flight record of this process, at `path` or where `TORCH_FR_DUMP_TEMP_FILE` says.

    Returns the path. RuntimeError where it cannot be written.
    """
    return _dump_flight_record("dump() was called", "" if path is None else str(path))


def heartbeat():
    """How often the watchdog has looked at the groups of this process."""
    return _watchdog_heartbeat()
