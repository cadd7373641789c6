"""What a process holds of the system."""

import os
from pathlib import Path


def held():
    """The number of its threads, its open files with what they are, and what it maps of shared memory."""
    maps = Path("/proc/self/maps").read_text().splitlines()
    shared = [line for line in maps if "/dev/shm/" in line or "/memfd:" in line]
    files = [f"{n} {os.readlink(f'/proc/self/fd/{n}')}" for n in _open_files()]
    return {"threads": len(os.listdir("/proc/self/task")), "files": files, "shared": shared}


def _open_files():
    # Not what was open to list them.
    return [n for n in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{n}")]
