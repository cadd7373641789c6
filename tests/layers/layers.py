"""The arrows between layers, read from the #include lines and the BUILD files of the checkout."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.MULTILINE)
LABEL = re.compile(r"//([\w./-]+)(?::([\w./-]+))?$")
# Headers that the generator writes for operators: `opweave/ops/add.h`, `opweave/kernels/cpu/mm.h`.
OPERATOR_HEADER = re.compile(r"opweave/(ops|kernels)/")
# Rules that name operators without labels, and rules of generated/BUILD that make their libraries.
OPERATOR_RULES = {"kernel_library", "operators"}
OPERATOR_LIBRARIES = re.compile(r"dispatch$|ops/|kernels/")
OPERATOR_MACROS = {"operator_header_libraries", "kernel_header_libraries"}


@dataclass(frozen=True)
class Arrow:
    """A layer that uses another, and where."""

    user: str
    used: str
    place: str

    def __str__(self) -> str:
        return f"{self.user} -> {self.used} ({self.place})"


def read_table(path: Path) -> dict[str, dict]:
    """The constants of layers.bzl, whose Starlark is Python as well."""
    constants: dict[str, dict] = {}
    exec(path.read_text(), constants)
    return constants


def layer_of(path: str, layers: Iterable[str]) -> str | None:
    """The layer of a file or a package: `runtime/core` of runtime/core/tensor/tensor.h."""
    parts = path.split("/")
    return next((name for n in (4, 3, 2, 1) if (name := "/".join(parts[:n])) in layers), None)


def included(path: str, text: str, layers: Iterable[str]) -> Iterator[Arrow]:
    """The arrows of one C++ file."""
    user = layer_of(path, layers)
    for header in INCLUDE.findall(text) if user else ():
        used = layer_of(header, layers)
        if header.startswith("opweave/stable/"):
            used = "runtime/stable"
        elif header.startswith("opweave/"):
            used = "generated/" + ("operators" if OPERATOR_HEADER.match(header) else "registration")
        if used and used != user:
            yield Arrow(user, used, f"{path} includes {header}")


def _label_layer(label: str, layers: Iterable[str]) -> str | None:
    found = LABEL.match(label)
    if not found or found[1] != "generated":
        return layer_of(found[1], layers) if found else None
    operators = OPERATOR_LIBRARIES.match(found[2] or "")
    return "generated/operators" if operators else "generated/registration"


def _rule_layer(rule: ast.Call) -> str:
    """The layer of a rule in generated/BUILD."""
    if isinstance(rule.func, ast.Name) and rule.func.id in OPERATOR_MACROS:
        return "generated/operators"
    names = [
        k.value.value
        for k in rule.keywords
        if k.arg == "name" and isinstance(k.value, ast.Constant)
    ]
    return "generated/" + ("operators" if names == ["dispatch"] else "registration")


def depended(path: str, text: str, layers: Iterable[str]) -> Iterator[Arrow]:
    """The arrows of one BUILD or .bzl file."""
    for statement in ast.parse(text).body:
        calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
        if any(
            isinstance(call.func, ast.Name) and call.func.id in {"load", "package"}
            for call in calls
        ):
            continue
        user = layer_of(path, layers)
        if path.startswith("generated/"):
            user = _rule_layer(calls[0]) if calls else None
        if user is None:
            continue
        strings = {n.value for n in ast.walk(statement) if isinstance(n, ast.Constant)}
        named = {text: text for text in strings if isinstance(text, str)}
        if path.startswith("generated/"):
            named = {text: "//generated" + text if text.startswith(":") else text for text in named}
        labels = {text: _label_layer(label, layers) for text, label in named.items()}
        if any(
            isinstance(call.func, ast.Name) and call.func.id in OPERATOR_RULES for call in calls
        ):
            labels["operators()"] = "generated/operators"
        for label, used in labels.items():
            if used and used != user:
                yield Arrow(user, used, f"{path} names {label}")


def printed(path: str, outputs: list[dict], layers: Iterable[str]) -> Iterator[Arrow]:
    """The arrows of the libraries that generated/BUILD makes from the table of the outputs."""
    for row in outputs:
        part = "operators" if row["library"] == "dispatch" else "registration"
        for use in row["uses"]:
            used = layer_of(use.partition(":")[0], layers)
            place = f"{path}: {row['library']} uses {use}"
            yield Arrow(f"generated/{part}", used, place)
            # bindings/native/libraries.bzl links what registers rules.
            if row["registrar"] == "library":
                yield Arrow("bindings/native", used, place)


def wrong(arrows: Iterable[Arrow], table: dict[str, list[str]]) -> list[str]:
    """What is to be said about arrows that the table does not have."""
    return sorted(
        f"{arrow.user} may not use {arrow.used} ({arrow.place}): tools/layers.bzl does not list it"
        for arrow in arrows
        if arrow.used not in table[arrow.user]
    )


def needless(arrows: Iterable[Arrow], table: dict[str, list[str]]) -> list[str]:
    """What is to be said about lines of the table that nothing needs."""
    seen = {(arrow.user, arrow.used) for arrow in arrows}
    return [
        f"{user} does not use {used} any more: take it out of tools/layers.bzl"
        for user, all_used in table.items()
        for used in all_used
        if (user, used) not in seen
    ]


def upward(table: dict[str, list[str]], known: dict[str, dict[str, str]]) -> list[str]:
    """What is to be said about lines of the table that point upwards, beside those that are known to."""
    order = list(table)
    points = {
        (user, used)
        for user, all_used in table.items()
        for used in all_used
        if order.index(used) >= order.index(user)
    }
    explained = {(user, used) for user, reasons in known.items() for used in reasons}
    new = [f"{user} -> {used} points upwards" for user, used in points - explained]
    return sorted(
        new + [f"{a} -> {b} does not point upwards any more" for a, b in explained - points]
    )
