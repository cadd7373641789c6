#!/usr/bin/env python3
"""Writes what Bazel and the documentation say about the generator's outputs: outputs.bzl beside this file,
and the table in docs/architecture.md.

opweave gen --list-outputs | tools/codegen/update_outputs.py           writes them
opweave gen --list-outputs | tools/codegen/update_outputs.py --check   says which are out of date, and exits
                                                                       with status 1
"""

import json
import pathlib
import re
import sys
from typing import Any

BZL = "tools/codegen/outputs.bzl"
GUIDE = "docs/architecture.md"
# Lines of the table as JSON objects.
Outputs = list[dict[str, Any]]
# What Bazel reads of a line.
FIELDS = ("path", "split", "registrar", "library", "uses")
TABLE = re.compile(r"^\| file \| printed by \| holds \|\n(?:\|.*\n)+", re.MULTILINE)
# The operator of the guide, and how many files there are: any.
EXAMPLE = {"{name}": "silu", "{shard}": "NN", "{target}": "<target>"}


def bzl(outputs: Outputs) -> str:
    """The text of outputs.bzl."""
    rows = [json.dumps({field: row[field] for field in FIELDS}) for row in outputs]
    table = "codegen/emit/output/output_table.def"
    head = f'"""What the generator writes. From {table}, by `./dev outputs`."""\n\n'
    return head + "OUTPUTS = [\n" + "".join(f"    {row},\n" for row in rows) + "]\n"


def _example(path: str) -> str:
    for variable, text in EXAMPLE.items():
        path = path.replace(variable, text)
    return path


def table(outputs: Outputs) -> str:
    """The guide's table, in Markdown."""
    lines = ["| file | printed by | holds |", "|---|---|---|"]
    for row in outputs:
        printed_by = ", ".join(f"`{file}`" for file in row["printed_by"])
        lines.append(f"| `{_example(row['path'])}` | {printed_by} | {row['holds']} |")
    return "\n".join(lines) + "\n"


def guide(text: str, outputs: Outputs) -> str:
    """The guide with the table of today."""
    new, count = TABLE.subn(lambda _: table(outputs), text)
    if count != 1:
        raise ValueError(f"{GUIDE} has {count} tables of outputs, not one")
    return new


def main() -> int:
    """Writes or checks both files."""
    root = pathlib.Path(__file__).resolve().parents[2]
    outputs = json.load(sys.stdin)
    texts = {BZL: bzl(outputs), GUIDE: guide((root / GUIDE).read_text(), outputs)}
    stale = [
        name
        for name, text in texts.items()
        if not (root / name).exists() or (root / name).read_text() != text
    ]
    for name in stale:
        if "--check" in sys.argv[1:]:
            print(f"{name} is out of date: run ./dev outputs")
        else:
            (root / name).write_text(texts[name])
            print(f"wrote {name}")
    return 1 if stale and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
