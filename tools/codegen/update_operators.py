#!/usr/bin/env python3
"""Writes operators.bzl: which operators the handwritten files of a folder use, from their #include lines.

tools/codegen/update_operators.py          writes the lists
tools/codegen/update_operators.py --check  says which are out of date, and exits with status 1
"""

import pathlib
import re
import sys
import textwrap

FOLDERS = ("kernels/composite", "kernels/cpu", "tests/kernels/operators")
INCLUDE = re.compile(r'#include "opweave/((?:ops|kernels)/[\w/]+)\.h"')


def uses(folder: pathlib.Path) -> dict[str, list[str]]:
    """The operators that each file of a folder includes: `ops/add`, `kernels/cpu/mm`."""
    files = sorted([*folder.rglob("*.cc"), *folder.rglob("*.h")])
    found = {
        str(file.relative_to(folder)): sorted(set(INCLUDE.findall(file.read_text())))
        for file in files
    }
    return {name: operators for name, operators in found.items() if operators}


def listing(folder: pathlib.Path) -> str:
    """The text of the folder's operators.bzl."""
    lines = [
        '"""Written by tools/codegen/update_operators.py from the #include lines."""',
        "",
        "USES = {",
    ]
    for file, operators in uses(folder).items():
        lines.append(f'    "{file}": [')
        items = ", ".join(f'"{operator}"' for operator in operators) + ","
        lines += textwrap.wrap(items, 110, initial_indent=" " * 8, subsequent_indent=" " * 8)
        lines.append("    ],")
    return "\n".join([*lines, "}", ""])


def main() -> int:
    """Writes or checks every folder; the number of lists that were out of date is the exit status."""
    root = pathlib.Path(__file__).resolve().parents[2]
    stale = 0
    for name in FOLDERS:
        path, text = root / name / "operators.bzl", listing(root / name)
        if path.exists() and path.read_text() == text:
            continue
        stale += 1
        if "--check" in sys.argv[1:]:
            print(f"{name}/operators.bzl is out of date: run tools/codegen/update_operators.py")
        else:
            path.write_text(text)
            print(f"wrote {name}/operators.bzl")
    return 1 if stale and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
