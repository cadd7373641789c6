"""A wheel of a library: its package, and which core it needs."""

import base64
import hashlib
import sysconfig
import zipfile
from pathlib import Path

from opweave._version import __version__
from opweave.build.builder import build_library, default_folders
from opweave.build.errors import explained

# The same input gives the same bytes: every member is dated alike.
_DATE = (1980, 1, 1, 0, 0, 0)


def _tag():
    version = sysconfig.get_config_var("py_version_nodot")
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"cp{version}-cp{version}-{platform}"


def _metadata(sources):
    return (
        f"Metadata-Version: 2.1\nName: {sources.name}\nVersion: {sources.version}\n"
        f"Requires-Dist: opweave>={__version__}\n"
    )


def _record_line(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def write_wheel(sources, out="dist", verbose=False):
    """Builds a library and packs it: the wheel requires the core that it was built with, or a later one.

    At import a later core is asked whether it has the operators and the classes that the library was
    compiled with; one that has not refuses it by name.

    Returns:
        The wheel's path.
    """
    place = build_library(sources, *default_folders(sources), verbose)
    info = f"{sources.name}-{sources.version}.dist-info"
    members = {f"{sources.name}/{path.name}": path.read_bytes() for path in sorted(place.iterdir())}
    members[f"{info}/METADATA"] = _metadata(sources).encode()
    members[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: opweave {__version__}\n"
        f"Root-Is-Purelib: false\nTag: {_tag()}\n"
    ).encode()
    record = "".join(_record_line(name, content) for name, content in members.items())
    members[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    path = Path(out, f"{sources.name}-{sources.version}-{_tag()}.whl")
    with explained(out):
        _pack(path, members)
    return path


def _pack(path, members):
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_suffix(".new")
    with zipfile.ZipFile(scratch, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in members.items():
            member = zipfile.ZipInfo(name, _DATE)
            member.external_attr = (0o100755 if name.endswith(".so") else 0o100644) << 16
            wheel.writestr(member, content)
    scratch.replace(path)
