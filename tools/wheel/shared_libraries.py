"""What a shared library needs to run elsewhere: libraries to carry, their notices, the glibc."""

import re
import subprocess
from pathlib import Path

# Present on every Linux system that the platform tag covers (the manylinux policy).
SYSTEM_LIBRARIES = {
    "ld-linux-x86-64.so.2",
    "libc.so.6",
    "libdl.so.2",
    "libgcc_s.so.1",
    "libm.so.6",
    "libpthread.so.0",
    "librt.so.1",
    "libstdc++.so.6",
    "linux-vdso.so.1",
}


class WheelError(Exception):
    """The wheel would not work where it is installed."""


def output_of(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def needed_libraries(library: Path) -> dict[str, Path]:
    """Name -> file of all that `library` loads, directly or not, and the system may not have."""
    found: dict[str, Path] = {}
    for line in output_of("ldd", str(library)).splitlines():
        name, arrow, target = line.strip().partition(" => ")
        name = Path(name.split(" ")[0]).name
        if not arrow or name in SYSTEM_LIBRARIES:
            continue
        if target == "not found":
            raise WheelError(f"{library} needs {name}, which is not installed")
        found[name] = Path(target.split(" ")[0]).resolve()
    return found


def is_installed(library: Path) -> bool:
    """Whether a library is the system's rather than ours."""
    return library.is_relative_to("/usr")


def debian_package(file: Path) -> str:
    """The package that installed a file."""
    line = output_of("dpkg-query", "--search", f"*/{file.name}").splitlines()[0]
    return line.split(":")[0]


def notice_of(package: str) -> str:
    return Path("/usr/share/doc", package, "copyright").read_text(encoding="utf-8")


def required_glibc(library: Path) -> tuple[int, int]:
    versions = re.findall(r"GLIBC_(\d+)\.(\d+)", output_of("readelf", "-V", "-W", str(library)))
    return max(((int(major), int(minor)) for major, minor in versions), default=(2, 0))


def check_glibc(library: Path, platform: str) -> None:
    """The platform tag promises a glibc; nothing in the wheel may want a newer one."""
    match = re.fullmatch(r"manylinux_(\d+)_(\d+)_x86_64", platform)
    if match is None:
        raise WheelError(f"unknown platform tag '{platform}'")
    promised = (int(match[1]), int(match[2]))
    required = required_glibc(library)
    if required > promised:
        raise WheelError(f"{library} requires glibc {required}, {platform} promises {promised}")


def check_search_path(library: Path) -> None:
    """DT_RPATH, not DT_RUNPATH: the libraries carried find each other through it too."""
    if "(RPATH)" not in output_of("readelf", "-d", "-W", str(library)):
        raise WheelError(f"{library} has no RPATH that leads to the libraries beside it")
