"""The rooms of packages, and what is to be said about those that use one another in circles.

A room is a folder in a package of the build; the files beside the BUILD file are one as well.
"""

import posixpath
from collections.abc import Collection, Iterable, Iterator

from circles import circles
from layers import INCLUDE, Arrow

IN_CIRCLES = (
    "move what both need to a room below, move the file to the room that it belongs to, or have the "
    "upper room hand in what the lower one calls"
)


def package_of(path: str, packages: Collection[str]) -> str | None:
    """The package of a file: the nearest folder above it that is one."""
    folder = posixpath.dirname(path)
    while folder and folder not in packages:
        folder = posixpath.dirname(folder)
    return folder or None


def _named(path: str, header: str, files: Collection[str]) -> str | None:
    """The file of the checkout that an #include line names, from its root or from beside the file."""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), header))
    return next((name for name in (header, beside) if name in files), None)


def included(
    path: str, text: str, files: Collection[str], packages: Collection[str]
) -> Iterator[Arrow]:
    """The arrows of one file: to other rooms of its package."""
    package, room = package_of(path, packages), posixpath.dirname(path)
    for header in INCLUDE.findall(text) if package else ():
        named = _named(path, header, files)
        if named is None or package_of(named, packages) != package:
            continue
        if posixpath.dirname(named) != room:
            yield Arrow(room, posixpath.dirname(named), f"{path} includes {named}")


def in_circles(arrows: Iterable[Arrow], packages: Collection[str]) -> dict[str, list[str]]:
    """What is to be said about the rooms of packages that use one another in circles, by package."""
    said: dict[str, list[str]] = {}
    for way in circles(arrows):
        package = package_of(f"{way[0].user}/x", packages) or ""
        chain = "; ".join(f"{each.user} uses {each.used} ({each.place})" for each in way)
        said.setdefault(package, []).append(f"{chain}: {IN_CIRCLES}")
    return said
