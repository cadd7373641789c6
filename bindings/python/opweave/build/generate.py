"""Runs the generator: YAML in, C++ out."""

import json
import re
import subprocess
from pathlib import Path

from opweave.build.errors import BuildError
from opweave.build.installation import CORE_OPERATORS, GENERATOR

# So many entries make a file that compiles in some seconds.
_ENTRIES_PER_SHARD = 24


def _shards(sources):
    entries = sum(
        len(
            re.findall(
                r"^- +func:", path.read_text(encoding="utf-8", errors="replace"), re.MULTILINE
            )
        )
        for path in sources.ops
    )
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
    return result.stdout


def generate(sources, out):
    """Writes the C++ of a library below `out`; files that would not change are left alone."""
    files = [f"--ops={path}" for path in sources.ops]
    files += [f"--derivatives={path}" for path in sources.derivatives]
    files = [word for file in files for word in file.split("=", 1)]
    run_generator(
        *("gen", "--out", out, "--library", sources.name, "--shards", _shards(sources)),
        *("--import-ops", CORE_OPERATORS, *files),
    )
    _write_units(Path(out))


def _write_units(out):
    """One file for each shard that includes the others of it: headers are read once for all.

    The pointwise kernels are compiled once for each instruction set, and stay apart.
    """
    units = {}
    for path in sorted(out.glob("opweave/**/*.cc")):
        name = path.relative_to(out).as_posix()
        if re.fullmatch(r"opweave/cpu/pointwise_\d+\.cc", name):
            continue
        shard = re.search(r"_(\d+)\.cc$", name)
        units.setdefault(shard[1] if shard else "00", []).append(name)
    for shard, names in units.items():
        text = "".join(f'#include "{name}"\n' for name in names)
        unit = out / f"unit_{shard}.cc"
        if not unit.exists() or unit.read_text() != text:
            unit.write_text(text)


def units(out):
    """The generated files that are compiled."""
    return sorted([*out.glob("unit_*.cc"), *out.glob("opweave/cpu/pointwise_*.cc")])


def listed_operators(out):
    """What the generator says of each operator: name, schema, place of its entry, whether it is derived."""
    return json.loads((out / "opweave/operators.json").read_text(encoding="utf-8"))
