#!/usr/bin/env python3
"""What each operator takes of the built libraries: bytes by target and dtype, and compile seconds.

    ./dev size [--select FILE] [--json FILE] [--compile] [--top N]

Bytes are those of symbols, told apart by their generated names. What belongs to no operator is named in
rows of its own, so that the rows of a library add up to the size of its file. Seconds are those that Bazel's
profile gives for the generated files, divided among the operators of a file in proportion to their bytes
in it. They are seconds of the processor.
"""

import argparse
import gzip
import json
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SUFFIXES = re.compile(
    r"_(kernel|boxed|def|autograd|tracking|composite|batched|forward|expr|loops|spec|roles|written|"
    r"function|overloads|params_\d+|result_\d+)$"
)
SCHEMA = re.compile(rb"\0([a-z_]\w*(?:\.\w+)?)\([^\0]*\) -> [^\0]*(?=\0)")
DTYPE_TABLE = Path(__file__).parents[2] / "dtypes/dtypes.def"
DTYPE_ROW = re.compile(r'^OW_DTYPE\(\w+, +(\w+),.*"([a-z ]+)"\)$', re.MULTILINE)


def demangled(spelled: str) -> str:
    """A type as the demangler spells it: `unsigned short` for `short unsigned int`."""
    words = sorted(spelled.split(), key=lambda word: word != "unsigned")
    short = [word for word in words if word != "int"]
    return " ".join(words if short in ([], ["unsigned"]) else short)


# C++ types of the loops in generated kernels.
DTYPES = {demangled(spelled): name for name, spelled in DTYPE_ROW.findall(DTYPE_TABLE.read_text())}
LOOP = re.compile(r"(?:VectorLoop|ScalarLoop)<.*PointwiseShape<.*>, ([a-z ]+)>::")


@dataclass
class Symbol:
    """A named piece of a library."""

    name: str  # demangled
    size: int
    section: str


@dataclass(frozen=True)
class Place:
    """What the bytes of a symbol belong to."""

    operator: str
    target: str
    dtype: str


def output_of(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def sections(library: Path) -> dict[str, tuple[str, int, bool]]:
    """Number -> name, size in the file, and whether it is loaded."""
    found = {}
    for line in output_of("readelf", "-WS", str(library)).splitlines():
        match = re.match(
            r" +\[ *(\d+)\] (\S+) +(\S+) +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) \S+ +([A-Z]*) ", line
        )
        if match:
            size = 0 if match[3] == "NOBITS" else int(match[4], 16)
            found[match[1]] = (match[2], size, "A" in match[5])
    return found


def symbols(library: Path, numbers: dict[str, tuple[str, int, bool]]) -> list[Symbol]:
    """Every piece once, though it may have several names."""
    text = output_of("readelf", "-Ws", str(library))
    entries: dict[int, tuple[int, str, str]] = {}
    for line in text.splitlines():
        match = re.match(r" *\d+: ([0-9a-f]+) +(\d+|0x[0-9a-f]+) \w+ +\w+ +\w+ +(\d+) (\S+)", line)
        if match is None or int(match[2], 0) == 0:
            continue
        name, file_size, _ = numbers[match[3]]
        if file_size:
            entries.setdefault(int(match[1], 16), (int(match[2], 0), name, match[4]))
    names = subprocess.run(
        ["c++filt"],
        input="\n".join(entry[2] for entry in entries.values()),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    found, end = [], 0
    for (address, (size, section, _)), name in sorted(zip(entries.items(), names)):
        begin = max(address, end)  # pieces that overlap count once
        end = max(end, address + size)
        found.append(Symbol(name, end - begin, section))
    return found


class Operators:
    """Which operator a name that the generator has made belongs to."""

    def __init__(self, library: Path) -> None:
        self._base: dict[str, str]
        schemas = {name.decode() for name in SCHEMA.findall(library.read_bytes())}
        self._base = {name.replace(".", "_"): name.split(".")[0] for name in schemas}
        bases = set(self._base.values())
        for identifier, base in list(self._base.items()):
            home = base.rstrip("_") if base.rstrip("_") in bases else base
            forward = home.split("_backward_")[0]  # of a gradient that was derived
            self._base[identifier] = forward if forward in bases else home
        self._base |= {base: self._base.get(base, base) for base in bases}
        self._nodes = {self._node(base): self._base[base] for base in bases}

    @staticmethod
    def _node(base: str) -> str:
        return "".join(part.capitalize() for part in base.split("_"))

    def find(self, name: str) -> str | None:
        # Not in the types of parameters, nor in the compiler's remarks ("[clone .cold]").
        name = re.sub(r"\[.*?\]", "", name)
        while (shorter := re.sub(r"\([^()]*\)", "", name)) != name:
            name = shorter
        # `std` is an operator as well as a namespace.
        name = re.sub(r"(?<!ops::)\bstd::(\w+::)*\w+", "", name)
        for word in re.findall(r"\w+", name):
            if match := re.fullmatch(r"(\w+?)Backward\d+", word):
                return self._nodes.get(match[1])
            word = word.removeprefix("py_nn_").removeprefix("py_linalg_").removeprefix("py_")
            while (shorter := SUFFIXES.sub("", word)) != word and word not in self._base:
                word = shorter
            if word in self._base:
                return self._base[word]
        return None


def target_of(name: str) -> str:
    for target in ("cpu", "meta", "composite"):
        if f"opweave::{target}::" in name:
            return target
    if "Backward" in name or "_autograd" in name or "_tracking" in name:
        return "autograd"
    if "_forward(opweave::ForwardCall" in name:
        return "forward"
    if "_composite" in name:
        return "composite"
    if "opweave::generated" in name or "py_" in name:
        return "python"
    return "dispatch"


def dtype_of(name: str) -> str:
    match = LOOP.search(name)
    return DTYPES.get(match[1], "") if match else ""


def rest_of(name: str) -> str:
    """A name for what belongs to no operator."""
    match = re.search(r"opweave::(\w+)::", name)
    if match and match[1] in ("cpu", "meta", "composite", "python"):
        return f"shared code of {match[1]}"
    return "runtime" if "opweave::" in name else "templates of other libraries"


def measure(library: Path, operators: Operators) -> tuple[dict[Place, int], dict[str, int]]:
    """Bytes by place, and of the rest by its name; together the size of the file."""
    numbers = sections(library)
    places: dict[Place, int] = defaultdict(int)
    rest: dict[str, int] = defaultdict(int)
    covered: dict[str, int] = defaultdict(int)
    for symbol in symbols(library, numbers):
        covered[symbol.section] += symbol.size
        operator = operators.find(symbol.name) if "opweave" in symbol.name else None
        if operator is None:
            rest[rest_of(symbol.name)] += symbol.size
        else:
            place = Place(operator, target_of(symbol.name), dtype_of(symbol.name))
            places[place] += symbol.size
    for name, size, loaded in numbers.values():
        kind = name if loaded else f"{name} (not loaded)"
        if size > covered[name]:
            rest[f"section {kind}"] += size - covered[name]
    named = sum(places.values()) + sum(rest.values())
    rest["headers and padding of the file"] = library.stat().st_size - named
    return dict(places), dict(rest)


def compile_seconds(profile: Path, processor: float | None = None) -> dict[str, float]:
    """Of each generated file, as Bazel's profile says; or its share of what all took of the processor.

    The profile's seconds are those of a clock, which runs on while something else has the processor.
    """
    with gzip.open(profile, "rt", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    seconds: dict[str, float] = defaultdict(float)
    for event in events:
        match = re.fullmatch(r"Compiling generated/(\S+)", event.get("name", ""))
        if match and event.get("cat") == "action processing":
            seconds[match[1]] += event["dur"] / 1e6
    scale = 1.0 if processor is None else processor / max(sum(seconds.values()), 1e-9)
    return {name: time * scale for name, time in seconds.items()}


def object_of(objects: Path, source: str) -> Path | None:
    """generated/_objs/cpu/pointwise_03.pic.o of opweave/cpu/pointwise_03.cc."""
    folder, stem = Path(source).parent.name, Path(source).stem
    path = objects / folder / f"{stem}.pic.o"
    return path if path.exists() else None


def share_seconds(
    seconds: dict[str, float], objects: Path, operators: Operators
) -> tuple[dict[str, float], float]:
    """By operator, and of files in which none has bytes."""
    by_operator: dict[str, float] = defaultdict(float)
    unshared = 0.0
    for source, time in seconds.items():
        path = object_of(objects, source)
        weights: dict[str, int] = defaultdict(int)
        if path is not None:
            for line in output_of("nm", "-S", "-C", "--defined-only", str(path)).splitlines():
                match = re.match(r"[0-9a-f]+ ([0-9a-f]+) \w (.*)", line)
                operator = operators.find(match[2]) if match else None
                if match and operator:
                    weights[operator] += int(match[1], 16)
        total = sum(weights.values())
        if total == 0:
            unshared += time
        for operator, weight in weights.items():
            by_operator[operator] += time * weight / total
    return dict(by_operator), unshared


def totals(places: dict[Place, int], key: str) -> dict[str, int]:
    found: dict[str, int] = defaultdict(int)
    for place, size in places.items():
        found[getattr(place, key) or "other"] += size
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def print_table(title: str, rows: dict[str, int], top: int | None = None) -> None:
    shown = list(rows.items())[:top]
    print(f"\n{title:<44}{'bytes':>12}")
    for name, size in shown:
        print(f"  {name:<42}{size:>12,}")
    if len(rows) > len(shown):
        hidden = sum(rows.values()) - sum(size for _, size in shown)
        print(f"  {f'{len(rows) - len(shown)} more':<42}{hidden:>12,}")


def report(
    libraries: list[Path], profile: Path | None, objects: Path, processor: float | None = None
) -> dict[str, Any]:
    operators = Operators(libraries[0])
    places: dict[Place, int] = defaultdict(int)
    files = {}
    for library in libraries:
        found, rest = measure(library, operators)
        for place, size in found.items():
            places[place] += size
        ordered = dict(sorted(rest.items(), key=lambda item: -item[1]))
        files[library.name] = {
            "bytes": library.stat().st_size,
            "operators": sum(found.values()),
            "rest": ordered,
        }
    seconds: dict[str, float] = {}
    unshared = 0.0
    if profile is not None:
        seconds, unshared = share_seconds(compile_seconds(profile, processor), objects, operators)
    return {
        "libraries": files,
        "operators": totals(places, "operator"),
        "targets": totals(places, "target"),
        "dtypes": totals(places, "dtype"),
        "places": [
            {"operator": p.operator, "target": p.target, "dtype": p.dtype or None, "bytes": size}
            for p, size in sorted(places.items(), key=lambda item: -item[1])
        ],
        "seconds": dict(sorted(seconds.items(), key=lambda item: (-item[1], item[0]))),
        "seconds_of_no_operator": unshared,
    }


def print_report(found: dict[str, Any], top: int) -> None:
    for name, library in found["libraries"].items():
        rows = {"operators": library["operators"], **library["rest"]}
        print_table(name, {**rows, "the file": library["bytes"]})
    print_table("by target", found["targets"])
    print_table("by dtype of generated loops", found["dtypes"])
    print_table("by operator", found["operators"], top)
    if not found["seconds"]:
        return
    print(f"\n{'compile seconds by operator':<44}{'seconds':>12}")
    for name, time in list(found["seconds"].items())[:top]:
        print(f"  {name:<42}{time:>12.1f}")
    print(f"  {'all operators':<42}{sum(found['seconds'].values()):>12.1f}")
    print(f"  {'files without operators':<42}{found['seconds_of_no_operator']:>12.1f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("libraries", nargs="+", type=Path, help="libopweave.so first")
    parser.add_argument("--profile", type=Path, help="Bazel's, of a build that compiled")
    parser.add_argument("--processor", type=float, help="seconds of the processor that it took")
    parser.add_argument("--objects", type=Path, default=Path("bazel-bin/generated/_objs"))
    parser.add_argument("--json", type=Path, help="write everything to this file as well")
    parser.add_argument("--top", type=int, default=20, help="operators to print (default 20)")
    options = parser.parse_args()
    found = report(options.libraries, options.profile, options.objects, options.processor)
    print_report(found, options.top)
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
