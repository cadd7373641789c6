"""Arrows that lead back to where they began: of modules that import, of rooms that include one another."""

from collections.abc import Iterable, Mapping
from typing import Protocol, TypeVar


class Arrow(Protocol):
    """Who uses whom."""

    @property
    def user(self) -> str: ...
    @property
    def used(self) -> str: ...


A = TypeVar("A", bound=Arrow)


def _way_back(start: A, by_user: Mapping[str, list[A]]) -> list[A] | None:
    """The shortest chain of arrows from what is used to who uses it."""
    ways = [[start]]
    seen = {start.used}
    for way in ways:
        if way[-1].used == start.user:
            return way
        following = [i for i in by_user.get(way[-1].used, ()) if i.used not in seen]
        seen.update(i.used for i in following)
        ways += [[*way, i] for i in following]
    return None


def _without_ends(found: Iterable[A]) -> list[A]:
    """Those that may be part of circles: what uses nothing more is in none."""
    left = list(found)
    while True:
        users = {each.user for each in left}
        kept = [each for each in left if each.used in users]
        if len(kept) == len(left):
            return left
        left = kept


def circles(found: Iterable[A]) -> list[list[A]]:
    """The circles, each once."""
    left = _without_ends(found)
    by_user: dict[str, list[A]] = {}
    for each in left:
        by_user.setdefault(each.user, []).append(each)
    ways: dict[frozenset[str], list[A]] = {}
    for each in left:
        way = _way_back(each, by_user)
        if way is not None:
            ways.setdefault(frozenset(i.user for i in way), way)
    return list(ways.values())
