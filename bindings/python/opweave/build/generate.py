"""Runs the generator: YAML in, C++ out."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from opweave.build.errors import BuildError, readable
from opweave.build.installation import CORE_OPERATORS, GENERATOR
from opweave.build.selection import selection_words
from opweave.build.sources import HOST
from opweave.build.stable import generator_words

# So many entries make a file that compiles in some seconds.
_ENTRIES_PER_SHARD = 24


def _shards(sources):
    entries = 0
    for path in sources.ops:
        with readable(path):
            text = path.read_text(encoding="utf-8", errors="replace")
        entries += len(re.findall(r"^- +func:", text, re.MULTILINE))
    return max(1, -(-entries // _ENTRIES_PER_SHARD))


def run_generator(*arguments, folder=None):
    """Its standard output. BuildError with what it reports of the YAML, as it reports it."""
    try:
        result = subprocess.run(
            [GENERATOR, *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
        )
    except OSError as error:
        raise BuildError(f"the generator {GENERATOR} cannot be run: {error.strerror}") from None
    if result.returncode != 0:
        raise BuildError(
            (result.stderr or result.stdout).rstrip()
            or f"the generator ended with status {result.returncode}"
        )
    if result.stderr:  # warnings
        print(result.stderr.rstrip(), file=sys.stderr)
    return result.stdout


def generate(sources, out):
    """Writes the C++ of a library below `out`: files that would not change are left alone, others go."""
    out = Path(out)
    for left in out.parent.glob(".gen-*"):  # by a build that was killed
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=".gen-", dir=out.parent) as scratch:
        new = Path(scratch)
        _run(sources, new)
        write_units(new, sources.targets)
        _take(new, out)


def _take(new, out):
    """Makes `out` what `new` is, without touching what is the same."""
    names = {path.relative_to(new) for path in new.rglob("*") if path.is_file()}
    if out.is_dir():
        for path in out.rglob("*"):
            if path.is_file() and path.relative_to(out) not in names:
                path.unlink()
    for name in sorted(names):
        old = out / name
        if not old.exists() or old.read_bytes() != (new / name).read_bytes():
            old.parent.mkdir(parents=True, exist_ok=True)
            os.replace(new / name, old)


def _run(sources, out):
    """Runs the generator over the files of a library."""
    files = [f"--ops={path}" for path in sources.ops]
    files += [f"--derivatives={path}" for path in sources.derivatives]
    files = [word for file in files for word in file.split("=", 1)]
    targets = [word for target in (HOST, *sources.targets) for word in ("--target", target)]
    known = [word for target in known_targets(sources) for word in ("--known-target", target)]
    try:
        run_generator(
            *("gen", "--out", out, "--library", sources.name, "--shards", _shards(sources)),
            *("--import-ops", CORE_OPERATORS, *files, *targets, *known),
            *selection_words(sources, out.parent),
            *(generator_words(sources) if sources.stable else ()),
        )
    except BuildError as error:
        if "[OW0304]" not in str(error):
            raise
        raise BuildError(f"{error}\n{_HOW_TO_NAME_TARGETS}") from None


_HOW_TO_NAME_TARGETS = (
    "A library has kernels for the CPU and for each target with a folder kernels/TARGET, or that --targets "
    "or 'targets' of [tool.opweave] in pyproject.toml names"
)


def known_targets(sources):
    """What `kernels` of entries may name: also targets that this build leaves out."""
    return dict.fromkeys((HOST, *sources.targets, *sources.left_out))


def write_units(out, targets):
    """One file for each shard that includes the others of it: headers are read once for all.

    The pointwise kernels are compiled once for each instruction set, and stay apart, as what is for other
    targets than the CPU does.
    """
    units = {}
    apart = tuple(f"opweave/{target}/" for target in targets)
    of_loops = loops(out)
    for path in sorted(out.glob("opweave/**/*.cc")):
        name = path.relative_to(out).as_posix()
        if name.startswith((*apart, "opweave/stable/")) or path in of_loops:
            continue
        shard = re.search(r"_(\d+)\.cc$", name)
        units.setdefault(shard[1] if shard else "00", []).append(name)
    for shard, names in units.items():
        text = "".join(f'#include "{name}"\n' for name in names)
        (out / f"unit_{shard}.cc").write_text(text, encoding="utf-8")


def units(out):
    """The generated files that are compiled."""
    return sorted([*out.glob("unit_*.cc"), *loops(out), *out.glob("opweave/stable/*.cc")])


def loops(out):
    """The kernels that are compiled once for each instruction set. Of what folds there may be none."""
    folds = [
        path
        for path in out.glob("opweave/cpu/folds_*.cc")
        if "\n#define OW_" in path.read_text("utf-8")
    ]
    return [*out.glob("opweave/cpu/pointwise_*.cc"), *folds]


def stable_faces(out):
    """Of a library for every release: its functions and methods, and the operators behind them."""
    return json.loads((out / "opweave/faces.json").read_text(encoding="utf-8"))


def listed_operators(out):
    """What the generator says of each operator: name, schema, place of its entry, whether it is derived."""
    return json.loads((out / "opweave/operators.json").read_text(encoding="utf-8"))
