"""Rooms of a package use one another in one direction."""

import posixpath

import layers
import pytest
import rooms
from checkout import CHECKOUT, CPP, files


@pytest.fixture(scope="module")
def packages() -> set[str]:
    return {posixpath.dirname(name) for name in files("*BUILD")}


@pytest.fixture(scope="module")
def circles(packages: set[str]) -> dict[str, list[str]]:
    known = set(files(*CPP))
    arrows: list[layers.Arrow] = []
    for name in sorted(known):
        text = (CHECKOUT / name).read_text(errors="replace")
        arrows += rooms.included(name, text, known, packages)
    assert len(arrows) > 500
    return rooms.in_circles(arrows, packages)


def test_rooms_use_one_another_in_one_direction(circles: dict[str, list[str]]) -> None:
    assert [line for lines in circles.values() for line in lines] == []


PACKAGES = {"low", "low/own", "high"}
TREE = {
    "low/base.h": "",
    "low/a/a.h": '#include "low/base.h"\n',
    "low/a/a.cc": '#include "low/a/a.h"\n#include "low/b/b.h"\n',
    "low/b/b.h": '#include "beside.h"\n#include <low/a/a.h>\n#include "low/own/own.h"\n',
    "low/b/beside.h": "",
    "low/own/own.h": '#include "low/a/a.h"\n',
    "high/x.cc": '#include "low/b/b.h"\n#include "no/such.h"\n',
}


def _said(tree: dict[str, str]) -> dict[str, list[str]]:
    arrows = [
        arrow for path, text in tree.items() for arrow in rooms.included(path, text, tree, PACKAGES)
    ]
    return rooms.in_circles(arrows, PACKAGES)


def test_rooms_in_order_are_in_none() -> None:
    # A package in a package's folder is no room of it, and arrows between packages are layers'.
    assert _said(TREE) == {}


def test_a_circle_is_told_once_with_its_files() -> None:
    tree = TREE | {"low/b/b.cc": '#include "../a/a.h"\n', "low/b/c.cc": '#include "low/a/a.h"\n'}
    assert _said(tree) == {
        "low": [
            "low/a uses low/b (low/a/a.cc includes low/b/b.h); "
            f"low/b uses low/a (low/b/b.cc includes low/a/a.h): {rooms.IN_CIRCLES}"
        ]
    }


def test_a_circle_of_three_rooms_is_told() -> None:
    # The files beside the BUILD file are a room as well.
    tree = TREE | {"low/base.cc": '#include "low/c/c.h"\n', "low/c/c.h": '#include "low/a/a.h"\n'}
    assert _said(tree) == {
        "low": [
            "low/a uses low (low/a/a.h includes low/base.h); "
            "low uses low/c (low/base.cc includes low/c/c.h); "
            f"low/c uses low/a (low/c/c.h includes low/a/a.h): {rooms.IN_CIRCLES}"
        ]
    }
