#!/usr/bin/env python3
"""Counts what grows with dtypes, functionalities, emitters and operators, of one checkout or of several.

tools/dev/counts.py ROOT...           a column for each checkout; only files that git tracks are read
tools/dev/counts.py --list ROOT       what was counted, too
"""

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml
from python_counts import PYTHON_COUNTS

# What people write; tests, examples and pages of documentation are allowed to repeat it.
CODE = (
    "bindings",
    "codegen",
    "dtypes",
    "generated",
    "kernels",
    "runtime",
    "schema",
    "tools",
    "third_party",
)
SOURCES = {".cc", ".h", ".cu", ".cuh", ".def", ".py", ".pyi", ".bzl", ".yaml", ".sh"}
# Files that a command writes from another one.
WRITTEN = re.compile(r"[Ww]ritten by|[Gg]enerated by|, by `\./dev|Printed by")
COMMENT = {
    "cpp": re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL),
    "hash": re.compile(r"(?m)(^|\s)#[^\n]*"),
}
CPP = {".cc", ".h", ".cu", ".cuh", ".def"}
CPP_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
# How code calls three integer types, and one that nobody names for its own sake: a file that names all of the
# former, or the latter, lists dtypes.
INTEGERS = (
    "int16|int16_t|kShort|kInt16",
    "int32|int32_t|kInt|kInt32",
    "uint8|uint8_t|kByte|kUInt8",
)
BFLOAT16 = "bfloat16|BFloat16|kBFloat16"
FUNCTIONALITIES = {
    "forward mode": (
        "runtime/forward",
        r"\bkForward\b|runtime/forward/|\bregister_forward_rules\b",
    ),
    "vmap": ("runtime/batching", r"\bkBatched\b|runtime/batching/|\bregister_batch_rules\b"),
}
# One emitter: its file and function, what it prints, and the list of what is registered that there was once.
EMITTER = re.compile(r"batching_rules|batching/rules|kLibraryParts")
ENTRY_NAME = re.compile(r"([\w.]+)\(")
KERNEL = re.compile(
    r"^[A-Za-z][^\n;{}()=#]*[ &*](\w+)\([^;{}]*?\) \{(?:\n(.*?)^\}| (.*?) \}$)",
    re.MULTILINE | re.DOTALL,
)
# Targets with memory of their own, as opposed to what serves every target.
HARDWARE = {"cpu", "cuda"}

Found = list[str]


class Checkout:
    """The tracked files of a checkout, and its operators."""

    def __init__(self, root: Path) -> None:
        listed = subprocess.run(
            ["git", "-C", str(root), "ls-files", "-z"], capture_output=True, text=True, check=True
        ).stdout
        self.root = root
        self.files = [f for f in listed.split("\0") if f and (root / f).is_file()]
        entries: list[dict[str, Any]] = yaml.safe_load((root / "ops.yaml").read_text())
        # Operators; the others declare types of objects.
        self.entries = [entry for entry in entries if "func" in entry]
        self.names = {found[1] for e in self.entries if (found := ENTRY_NAME.match(e["func"]))}

    def text(self, file: str) -> str:
        return (self.root / file).read_text(errors="replace")

    def code(self) -> Iterator[tuple[str, str]]:
        """Handwritten code and build files, with their texts without comments."""
        for file in self.files:
            path = Path(file)
            if path.name == Path(__file__).name:  # its patterns
                continue
            if path.parts[0] not in CODE or not (path.suffix in SOURCES or path.name == "BUILD"):
                continue
            text = self.text(file)
            if not WRITTEN.search("\n".join(text.splitlines()[:3])):
                yield file, COMMENT["cpp" if path.suffix in CPP else "hash"].sub("", text)


def _word(alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9_])(?:{alternatives})(?![A-Za-z0-9_])")


def dtype_places(checkout: Checkout) -> Found:
    """Files that list dtypes."""
    integers, bfloat16 = [_word(words) for words in INTEGERS], _word(BFLOAT16)
    return [
        file
        for file, text in checkout.code()
        if bfloat16.search(text) or all(word.search(text) for word in integers)
    ]


def functionality_places(name: str) -> Callable[[Checkout], Found]:
    """Files outside a functionality's folder that name it."""
    folder, pattern = FUNCTIONALITIES[name]

    def places(checkout: Checkout) -> Found:
        named = re.compile(pattern)
        return [
            f
            for f, text in checkout.code()
            if not f.startswith(folder + "/") and named.search(text)
        ]

    return places


def emitter_places(checkout: Checkout) -> Found:
    """Files that name an emitter, what it prints or what that registers."""
    found = [
        file for file, text in checkout.code() if EMITTER.search(text) and "runtime/" not in file
    ]
    guide = checkout.text("docs/architecture.md")
    more = (
        ["docs/architecture.md"]
        if "batching_rules.cc" in guide and "./dev outputs" not in guide
        else []
    )
    tests = [f for f in checkout.files if f.endswith("BUILD") and f.startswith("tests/")]
    return found + [f for f in tests if EMITTER.search(checkout.text(f))] + more


def _strings(file: str, text: str) -> list[str]:
    if not file.endswith(".py"):
        without_includes = re.sub(r"(?m)^\s*#\s*include[^\n]*", "", text)
        return CPP_STRING.findall(without_includes) if Path(file).suffix in CPP else []
    nodes = ast.walk(ast.parse(text))
    return [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]


def operator_names(checkout: Checkout) -> Found:
    """Strings of code that are the full name of an operator, or its schema."""
    found = []
    for file, text in checkout.code():
        if file.startswith("tools/") or Path(file).suffix == ".yaml":
            continue
        for string in _strings(file, checkout.text(file) if file.endswith(".py") else text):
            schema = re.match(r"([\w.]+)\(.*\) -> ", string)
            if (schema[1] if schema else string) in checkout.names:
                found.append(f"{file}: {string}")
    return found


def one_liners(checkout: Checkout) -> Found:
    """Composite kernels in C++ that are a single return."""
    kernels = {name.replace(".", "_") for name in checkout.names}
    found = []
    for file in checkout.files:
        if not (file.startswith("kernels/composite/") and file.endswith(".cc")):
            continue
        for name, *bodies in KERNEL.findall(checkout.text(file)):
            statements = COMMENT["cpp"].sub("", "".join(bodies)).strip()
            if name in kernels and statements.startswith("return ") and statements.count(";") == 1:
                found.append(f"{file}: {name}")
    return found


def hand_wrappers(checkout: Checkout) -> Found:
    """Functions of nn.functional that are written by hand."""
    found = []
    for file in checkout.files:
        if re.fullmatch(r"bindings/python/opweave/nn/functional(\.py|/.*\.py)", file):
            functions = [
                n for n in ast.parse(checkout.text(file)).body if isinstance(n, ast.FunctionDef)
            ]
            found += [f"{file}: {f.name}" for f in functions if not f.name.startswith("_")]
    return found


def named_targets(checkout: Checkout) -> Found:
    """Entries that name a hardware target: which operators a target has is said in its own file."""
    return [
        e["func"].split("(")[0]
        for e in checkout.entries
        if HARDWARE.intersection(e.get("kernels", ()))
    ]


def without_meta(checkout: Checkout) -> Found:
    """Entries with kernels for hardware alone and no rule, which is their kernel without elements."""
    return [
        e["func"].split("(")[0]
        for e in checkout.entries
        if e.get("kernels")
        and set(e["kernels"]) <= {"native", *HARDWARE}
        and not {"let", "require", "result"} & set(e)
    ]


def data_dependent(checkout: Checkout) -> Found:
    """Entries that say that the data decide their results' shape."""
    return [e["func"].split("(")[0] for e in checkout.entries if e.get("result") == "data"]


def uses_of_cpu_kernels(checkout: Checkout) -> Found:
    """Files outside kernels/cpu that include its headers: geometry that other targets want, too."""
    include = re.compile(r'#include "kernels/cpu/')
    return [
        file
        for file, text in checkout.code()
        if not file.startswith("kernels/cpu/") and include.search(text)
    ]


def calls_upwards(checkout: Checkout) -> Found:
    """Kernels for hardware that call operators."""
    include = re.compile(r'#include "opweave/ops/')
    return [
        file
        for file, text in checkout.code()
        if file.startswith(tuple(f"kernels/{target}/" for target in HARDWARE))
        and include.search(text)
    ]


# The words of the command line that choose an output: who knows them decides by them.
OUTPUT = _word(
    r"emit_(?:torch|jax|stable)|check_for_(?:torch|jax|stable)|(?:torch|jax|stable)_emission"
)


def output_branches(checkout: Checkout) -> Found:
    """Files of the generator that know one output, outside of the outputs."""
    return [
        file
        for file, text in checkout.code()
        if re.match(r"codegen/(?!emit/(torch|jax|stable)/)", file) and OUTPUT.search(text)
    ]


COUNTS: dict[str, Callable[[Checkout], Found]] = {
    "files that list dtypes": dtype_places,
    **{
        f"files outside {name} that name it": functionality_places(name) for name in FUNCTIONALITIES
    },
    "files that name one emitter": emitter_places,
    "operators named by strings in code": operator_names,
    "operators that name a target": named_targets,
    "composite kernels that are one return": one_liners,
    "functions of nn.functional by hand": hand_wrappers,
    "operators without a meta kernel": without_meta,
    "operators whose result the data decide": data_dependent,
    "files outside kernels/cpu that include it": uses_of_cpu_kernels,
    "hardware kernels that call operators": calls_upwards,
    "generator's files that know one output": output_branches,
    **PYTHON_COUNTS,
}


def main() -> int:
    """Prints the table."""
    arguments = [a for a in sys.argv[1:] if a != "--list"]
    checkouts = [Checkout(Path(root)) for root in arguments or ["."]]
    for title, count in COUNTS.items():
        found = [count(checkout) for checkout in checkouts]
        print(f"{title:42}" + "".join(f"{len(each):8}" for each in found))
        if "--list" in sys.argv[1:]:
            print("".join(f"    {item}\n" for item in found[-1]), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
