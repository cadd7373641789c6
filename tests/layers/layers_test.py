"""Layers use what tools/layers.bzl lists, and nothing else."""

import layers
import pytest
from checkout import CHECKOUT, CPP, files

BZL = layers.read_table(CHECKOUT / "tools/layers.bzl")
TABLE = BZL["LAYERS"]
OUTPUTS_BZL = "tools/codegen/outputs.bzl"


@pytest.fixture(scope="module")
def arrows() -> list[layers.Arrow]:
    found: list[layers.Arrow] = []
    for name in files(*CPP):
        found += layers.included(name, (CHECKOUT / name).read_text(errors="replace"), TABLE)
    for name in files("*BUILD", "*.bzl"):
        found += layers.depended(name, (CHECKOUT / name).read_text(), TABLE)
    found += layers.printed(
        OUTPUTS_BZL, layers.read_table(CHECKOUT / OUTPUTS_BZL)["OUTPUTS"], TABLE
    )
    assert len(found) > 1000
    return found


def test_layers_use_what_is_listed(arrows: list[layers.Arrow]) -> None:
    assert layers.wrong(arrows, TABLE) == []


def test_what_is_listed_is_used(arrows: list[layers.Arrow]) -> None:
    assert layers.needless(arrows, TABLE) == []


def test_arrows_point_downwards() -> None:
    assert layers.upward(TABLE, BZL["UPWARDS"]) == []


def test_every_package_has_a_layer() -> None:
    roots = {layer.split("/")[0] for layer in TABLE} - {"generated"}
    packages = [name.rpartition("/")[0] for name in files("*BUILD")]
    stray = [p for p in packages if p.split("/")[0] in roots and not layers.layer_of(p, TABLE)]
    assert stray == []


def test_the_build_takes_its_visibility_from_the_table() -> None:
    for name in files("*BUILD"):
        if layers.layer_of(name, TABLE):
            assert (
                "package(default_visibility = layer_visibility())" in (CHECKOUT / name).read_text()
            ), name


def test_a_new_arrow_is_named_with_its_place() -> None:
    table = {"low/core": [], "low/other": ["low/core"]}
    text = '#include "low/core/a.h"\n  #  include "low/other/b.h"\n#include <low/other/c.h>\n'
    found = list(layers.included("low/core/x.cc", text, table))
    assert layers.wrong(found, table) == [
        "low/core may not use low/other (low/core/x.cc includes low/other/b.h): "
        "tools/layers.bzl does not list it"
    ]
    assert layers.needless(found, table) == [
        "low/other does not use low/core any more: take it out of tools/layers.bzl"
    ]


def test_an_arrow_of_a_rule_is_named_with_its_label() -> None:
    table = {
        "low/core": [],
        "generated/operators": [],
        "generated/registration": [],
        "low/top": ["low/core"],
    }
    rule = 'cc_library(name = "x", deps = ["//low/core", "//low/core:part", "//generated:ops/add", ":y"])\n'
    load = 'load("//low/core:rules.bzl", "x")\n'
    found = set(layers.depended("low/top/BUILD", load + rule, table))
    assert {str(arrow) for arrow in found} == {
        "low/top -> low/core (low/top/BUILD names //low/core)",
        "low/top -> low/core (low/top/BUILD names //low/core:part)",
        "low/top -> generated/operators (low/top/BUILD names //generated:ops/add)",
    }
    assert layers.wrong(found, table) == [
        "low/top may not use generated/operators (low/top/BUILD names //generated:ops/add): "
        "tools/layers.bzl does not list it"
    ]


def test_an_arrow_of_a_generated_library_is_named_with_its_line() -> None:
    table = {"low/core": [], "generated/registration": [], "bindings/native": []}
    row = {"library": "rules", "registrar": "library", "uses": ["low/core:part"]}
    found = list(layers.printed("outputs.bzl", [row], table))
    assert [str(arrow) for arrow in found] == [
        "generated/registration -> low/core (outputs.bzl: rules uses low/core:part)",
        "bindings/native -> low/core (outputs.bzl: rules uses low/core:part)",
    ]
    assert len(layers.wrong(found, table)) == 2


def test_an_arrow_upwards_needs_a_reason() -> None:
    table = {"low/core": ["low/top"], "low/top": ["low/core"]}
    assert layers.upward(table, {}) == ["low/core -> low/top points upwards"]
    assert layers.upward(table, {"low/core": {"low/top": "for now"}}) == []
    assert layers.upward({"low/core": [], "low/top": []}, {"low/core": {"low/top": "for now"}}) == [
        "low/core -> low/top does not point upwards any more"
    ]
