"""Mutants: formulas with one mistake in each, and the switch in the library that chooses one."""

import ctypes
import json
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path


@dataclass(frozen=True)
class Mutant:
    """One mistake, as `opweave mutants` lists it."""

    id: int
    operator: str
    where: str
    file: str
    line: int
    column: int
    change: str
    equal: bool = False  # proved to compute the same, in real numbers

    @property
    def key(self):
        """Names the mutant independently of the others and of its place in the file."""
        return self.operator, self.where, self.change

    @property
    def label(self):
        return f"{self.file}:{self.line}: {self.operator}, {self.where}: {self.change}"


def load(path):
    """All mutants. Where one formula has several of the same change, the later ones are numbered."""
    mutants, seen = [], Counter()
    for fields in json.loads(Path(path).read_text()):
        mutant = Mutant(**fields)
        seen[mutant.key] += 1
        number = seen[mutant.key]
        change = mutant.change if number == 1 else f"{mutant.change} [{number}]"
        mutants.append(replace(mutant, change=change))
    return mutants


def load_equivalent(path):
    """Mutants that compute the same as the right formula: key -> reason."""
    reasons = json.loads(Path(path).read_text())
    return {tuple(key): reason for reason, keys in reasons.items() for key in keys}


class Switch:
    """What a library that was generated with `--mutants` exports."""

    def __init__(self, library, count):
        self._active = ctypes.c_int.in_dll(library, "opweave_active_mutant")
        self._reached = (ctypes.c_ubyte * (count + 1)).in_dll(library, "opweave_reached_mutants")

    def activate(self, mutant_id):
        """Runs that mutant from now on; 0 runs none."""
        self._active.value = mutant_id

    def forget(self):
        ctypes.memset(self._reached, 0, len(self._reached))

    def reached(self):
        """The ids of the mutants that could have run since the last forget()."""
        flags = bytes(self._reached)
        found, at = set(), flags.find(1)
        while at >= 0:
            found.add(at)
            at = flags.find(1, at + 1)
        return found


def loaded_library(name="libopweave.so"):
    """The library of that name that this process has loaded."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        if line.endswith("/" + name):
            return ctypes.CDLL(line[line.index("/") :])
    raise SystemExit(f"{name} is not loaded")
