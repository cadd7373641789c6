"""Packs a Python package, its extensions and the shared libraries they need into a wheel."""

import argparse
import base64
import hashlib
import subprocess
import tempfile
import zipfile
from pathlib import Path

import deflate
from shared_libraries import (
    WheelError,
    check_glibc,
    check_search_path,
    debian_package,
    is_installed,
    needed_libraries,
    notice_of,
)

# The same input gives the same bytes: every member is dated alike.
DATE = (1980, 1, 1, 0, 0, 0)

METADATA = """\
Metadata-Version: 2.1
Name: opweave
Version: {version}
Summary: Tensors with automatic differentiation, generated from one description of every operator
License: Apache-2.0
{license_files}Requires-Python: ==3.11.*
Provides-Extra: numpy
Requires-Dist: numpy ; extra == 'numpy'
Description-Content-Type: text/markdown

{description}"""

WHEEL = """\
Wheel-Version: 1.0
Generator: opweave
Root-Is-Purelib: false
Tag: cp311-cp311-{platform}
"""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(fromfile_prefix_chars="@")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--platform", required=True)
    parser.add_argument("--readme", required=True, type=Path)
    parser.add_argument("--license", action="append", default=[], type=Path)
    parser.add_argument("--notice-of", action="append", default=[], help="Debian package")
    parser.add_argument("--plugin", action="append", default=[], type=Path, help="loaded on demand")
    parser.add_argument(
        "--part", action="append", default=[], type=Path, help="carried for the library of its name"
    )
    parser.add_argument("--program", required=True, type=Path, help="the generator")
    parser.add_argument("--script", action="append", default=[], type=Path, help="put on the PATH")
    parser.add_argument("--file", action="append", default=[], help="NAME_IN_WHEEL=PATH")
    return parser.parse_args()


def stripped(library: Path) -> bytes:
    with tempfile.TemporaryDirectory() as directory:
        out = Path(directory, library.name)
        subprocess.run(["strip", "--strip-unneeded", "-o", out, library], check=True)
        return out.read_bytes()


def add_package(members: dict[str, bytes], files: list[str], platform: str) -> dict[str, Path]:
    """Adds the package's files; returns the libraries that its extensions need."""
    needed: dict[str, Path] = {}
    for name, _, source in (entry.partition("=") for entry in files):
        path = Path(source)
        if path.suffix != ".so":
            members[name] = path.read_bytes()
            continue
        check_search_path(path)
        check_glibc(path, platform)
        members[name] = stripped(path)
        needed |= needed_libraries(path)
    return needed


def add_libraries(
    members: dict[str, bytes], libraries: dict[str, Path], parts: list[Path], platform: str
) -> None:
    """Those of the names of `parts` as these files, which are what we need of them."""
    instead = {path.name: path for path in parts}
    if unknown := instead.keys() - libraries.keys():
        raise WheelError(f"nothing needs {', '.join(sorted(unknown))}")
    for name, whole in libraries.items():
        path = instead.get(name, whole)
        check_glibc(path, platform)
        content = path.read_bytes() if is_installed(whole) else stripped(path)
        members[f"opweave/lib/{name}"] = content


def add_program(members: dict[str, bytes], path: Path, platform: str) -> dict[str, Path]:
    """The generator; returns the libraries that it needs."""
    check_search_path(path)
    check_glibc(path, platform)
    members[f"opweave/bin/{path.name}"] = stripped(path)
    return needed_libraries(path)


def add_plugins(members: dict[str, bytes], plugins: list[Path], platform: str) -> None:
    """Beside our libraries, without what they need: they are for what a system has, such as its mpirun."""
    for path in plugins:
        check_glibc(path, platform)
        members[f"opweave/lib/{path.name}"] = stripped(path)


def add_licenses(
    members: dict[str, bytes], info: str, options: argparse.Namespace, packages: set[str]
) -> None:
    for path in options.license:
        members[f"{info}/licenses/{path.name}"] = path.read_bytes()
    for package in packages:
        members[f"{info}/licenses/third_party/{package}.txt"] = notice_of(package).encode()


def add_metadata(members: dict[str, bytes], info: str, options: argparse.Namespace) -> None:
    prefix = f"{info}/licenses/"
    licenses = [name.removeprefix(prefix) for name in members if name.startswith(prefix)]
    members[f"{info}/METADATA"] = METADATA.format(
        version=options.version,
        license_files="".join(f"License-File: {name}\n" for name in sorted(licenses)),
        description=options.readme.read_text(encoding="utf-8"),
    ).encode()
    members[f"{info}/WHEEL"] = WHEEL.format(platform=options.platform).encode()
    members[f"{info}/top_level.txt"] = b"opweave\n"


def record_line(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def add_record(members: dict[str, bytes], info: str) -> None:
    lines = [record_line(name, members[name]) for name in sorted(members)]
    members[f"{info}/RECORD"] = "".join([*lines, f"{info}/RECORD,,\n"]).encode()


def is_executable(name: str) -> bool:
    return ".so" in name or Path(name).parent.name in ("bin", "scripts")


def write(out: Path, members: dict[str, bytes], info: str) -> None:
    # The .dist-info comes last, as the format recommends.
    order = sorted(members, key=lambda name: (name.startswith(info), name))
    with deflate.used_by_zipfile(), zipfile.ZipFile(out, "w") as wheel:
        for name in order:
            member = zipfile.ZipInfo(name, DATE)
            member.external_attr = (0o100755 if is_executable(name) else 0o100644) << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(member, members[name])


def main() -> None:
    options = arguments()
    info = f"opweave-{options.version}.dist-info"
    members: dict[str, bytes] = {}
    libraries = add_package(members, options.file, options.platform)
    libraries |= add_program(members, options.program, options.platform)
    # Extensions of the package are where Python looks for them, and loaded before those that need them.
    extensions = {Path(name).name for name in members if name.endswith(".so")}
    libraries = {name: path for name, path in libraries.items() if name not in extensions}
    add_libraries(members, libraries, options.part, options.platform)
    add_plugins(members, options.plugin, options.platform)
    for path in options.script:
        members[f"opweave-{options.version}.data/scripts/{path.name}"] = path.read_bytes()
    installed = [path for path in libraries.values() if is_installed(path)]
    packages = {debian_package(path) for path in installed} | set(options.notice_of)
    add_licenses(members, info, options, packages)
    add_metadata(members, info, options)
    add_record(members, info)
    write(options.out, members, info)


if __name__ == "__main__":
    main()
