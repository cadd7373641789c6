"""What a report of a fault needs to say of the machine: `python -m opweave.utils.collect_env`."""

from __future__ import annotations

import os
import platform
import sys
from collections import namedtuple

from opweave import _C

SystemEnv = namedtuple(
    "SystemEnv",
    ["torch_version", "python_version", "os", "libc_version", "processor", "threads", "targets"],
)


def _cpu():
    try:
        with open("/proc/cpuinfo") as file:
            lines = (line.partition(":") for line in file)
            return next(value.strip() for name, _, value in lines if name.strip() == "model name")
    except (OSError, StopIteration):
        return platform.processor() or "unknown"


def get_env_info() -> SystemEnv:
    """The facts, as a SystemEnv."""
    from opweave import _targets

    return SystemEnv(
        torch_version=sys.modules["opweave"].__version__,  # PyTorch's, where its programs run
        python_version=sys.version.replace("\n", " "),
        os=platform.platform(),
        libc_version="-".join(platform.libc_ver()),
        processor=f"{_cpu()}, {os.cpu_count()} cores",
        threads=str(_C.get_num_threads()),
        targets=", ".join(sorted(_targets.available())) or "none beside the CPU",
    )


_TITLES = ("Opweave version", "Python version", "OS", "Libc version", "CPU", "Threads", "Targets")


def pretty_str(envinfo: SystemEnv) -> str:
    """Facts as lines of text.

    Raises:
        TypeError: what is given is no SystemEnv.
    """
    if not isinstance(envinfo, SystemEnv):
        raise TypeError(f"pretty_str(): expected a SystemEnv, got {type(envinfo).__name__}")
    return "\n".join(f"{t}: {v}" for t, v in zip(_TITLES, envinfo, strict=True))


def get_pretty_env_info() -> str:
    """The facts, as lines of text."""
    return pretty_str(get_env_info())


def main() -> None:
    """Prints them."""
    print("Collecting environment information...")
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
