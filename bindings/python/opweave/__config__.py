"""What this Opweave is and what it runs on: what a report of a bug has to say."""

from __future__ import annotations

import os
import platform
import re
import sys

from opweave import _C, _targets
from opweave._version import __version__

# The files of libraries beneath, as a process maps them.
_BENEATH = re.compile(
    r"/lib(opweave|opweave_distributed|dnnl|openblas|gomp|sleef|hwy|cudart|cublas|cudnn|nccl)[-.]"
)
_VARIABLES = re.compile(r"(OPWEAVE|TORCH|OMP|OPENBLAS|CUDA|NCCL|GLOO)_")


def _loaded():
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if "/" in line}
    return sorted(path for path in paths if _BENEATH.search(path))


def _is_there(name):
    try:
        return _C._device_count(name) >= 0
    except RuntimeError:
        return False


def _target_lines():
    places = _targets.available()
    # What a program has named, as "cuda" in a question for devices, need not be there.
    names = [name for name in _C._device_types().split(", ") if _is_there(name)]
    for name in names:
        where = places.get(name, "built in")
        yield f"  - {name}: {_C._device_count(name)} device(s), {where}"
    for name, path in places.items():
        if name not in names:
            yield f"  - {name}: {path}, not loaded"


def show() -> str:
    """Version, instruction set in use, threads, libraries beneath, targets and where they are, settings.

    Returns:
        Text of several lines.
    """
    lines = [
        f"Opweave {__version__}, in {os.path.dirname(__file__)}",
        f"  - Python {platform.python_version()} ({sys.executable}) on {platform.platform()}",
        f"  - compiler: {_C._compiler}",
        f"  - instruction set in use: {_C._instruction_set()}",
        f"  - threads: {_C.get_num_threads()} of {os.cpu_count()} processors",
        "Targets:",
        *_target_lines(),
        "Libraries beneath:",
        *(f"  - {path}" for path in _loaded()),
        "Settings in the environment:",
        *(f"  - {k}={v}" for k, v in sorted(os.environ.items()) if _VARIABLES.match(k)),
    ]
    return "\n".join(lines) + "\n"


def parallel_info() -> str:
    """How work is spread over threads."""
    return (
        f"get_num_threads(): {_C.get_num_threads()}\n"
        f"processors: {os.cpu_count()}\n"
        f"OMP_NUM_THREADS: {os.environ.get('OMP_NUM_THREADS', '[not set]')}\n"
    )
