"""What the ordinary form of an operator refuses, a library for every release refuses in the same words.

Opweave's own entries with handwritten kernels are written anew as a library of the stable form, under
names of its own and with kernels that compute nothing. The broken sample calls of tests/reference/breaks.py
are made of both (stable/refused_calls.py); so are calls with tensors of two devices.
"""

import json
import re
from pathlib import Path

import pytest
import yaml
from installed import BUILD, Installed

# Keys that say how an operator is called and what a call has to be; the others are about gradients and
# names elsewhere.
CALLED = ("func", "kernels", "dtypes", "argument_dtypes", "roles", "samples")
KEPT = (*CALLED, "let", "require", "result")
OF_CALLS = Path("tests/wheel/stable/refused_calls.py").resolve()
# Where that finds sample calls and their breaks.
OF_SAMPLES = (Path("tests/python/generated").absolute(), Path("tests").absolute())
PREFIX = "zz"
HEADERS = "opweave/kernels/cpu"
DECLARED = re.compile(r"^\S.* \w+\(.*\);$", re.MULTILINE)


def entries():
    """Those of kernels for the CPU, by new names, in the form of a library."""
    for entry in yaml.safe_load(Path("ops.yaml").read_text()):
        # The stable form has no written arguments.
        if entry.get("kernels") == ["native"] and "!" not in entry["func"]:
            yield {
                **{key: entry[key] for key in KEPT if key in entry},
                "kernels": ["cpu"],
                "func": PREFIX + entry["func"],
                "differentiable": False,
                "batching": "loop",
                "doc": "Refuses.",
            }


def refused_forms(user, folder):
    """Names of operators that a library for every release cannot have, as the generator says."""
    core = next(user.home.glob("venv/lib/python*/site-packages/opweave/share/ops.yaml"))
    words = ("gen", "--emit=stable", "--library", "refusing", "--out", "gen", "--ops", "ops.yaml")
    said = user.command("opweave", *words, "--import-ops", core, cwd=folder)
    named = re.findall(r"error\[OW0602\]: '(\S+)' has", said.stderr)
    assert (said.returncode == 0) == (not named), said.stderr
    return set(named)


def name_of(entry):
    return entry["func"].partition("(")[0]


def out_of(entry):
    name = name_of(entry)
    return f"{name}_out" if "." in name else f"{name}.out"


def without(entry, refused):
    """The entry without its form with `out`, where that was refused."""
    return {**entry, "out": False} if out_of(entry) in refused else entry


def write_entries(user, folder):
    """Writes ops.yaml, with all entries that the generator takes."""
    chosen = list(entries())
    while True:
        (folder / "ops.yaml").write_text(yaml.safe_dump(chosen, sort_keys=False, width=10000))
        refused = refused_forms(user, folder)
        if not refused:
            return chosen
        left = [without(e, refused) for e in chosen if name_of(e) not in refused]
        assert left != chosen, refused
        chosen = left


def write_kernels(folder):
    """Definitions of what the generated headers declare: they tell that a call came as far."""
    for header in sorted((folder / "gen" / HEADERS).glob("*.h")):
        functions = [
            f'{declared[0].removesuffix(";")} {{ throw stable::Error("accepted", OW_RUNTIME_ERROR); }}'
            for declared in DECLARED.finditer(header.read_text())
        ]
        lines = [f'#include "{HEADERS}/{header.name}"', "namespace opweave::cpu {", *functions, "}"]
        (folder / f"kernels/cpu/{header.stem}.cc").write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """(operators of the library, rows of what was said)."""
    home = tmp_path_factory.mktemp("refusing")
    user = Installed(home / "user", system=True)
    folder = home / "refusing"
    (folder / "kernels/cpu").mkdir(parents=True)
    chosen = write_entries(user, folder)
    write_kernels(folder)
    built = user.run(*BUILD, "--stable", "--out", "built/refusing", cwd=folder)
    assert built.returncode == 0, built.stdout + built.stderr
    places = (folder / "built", *OF_SAMPLES)
    said = user.run(OF_CALLS, cwd=folder, PYTHONPATH=":".join(map(str, places)))
    assert said.returncode == 0, said.stderr
    return {name_of(entry) for entry in chosen}, json.loads(said.stdout)


# What kernels say where a rule cannot: of elements, and of dtypes that they have no code for.
OF_KERNELS = re.compile(
    r"not implemented for '|is out of bounds|out of range|allocated size|must match the size of tensor b"
    # Lengths and classes of texts.
    r"|checking arguments for batch|the sum of target_lengths|within target_lengths|enough for a text of"
)
# (What the core says, what a library says) of the same, where they differ and why.
OTHERWISE = {
    # The form has no list of the operators whose results the data decide.
    ("what it gives depends on elements", "it has no kernel there"),
}


def excused(row):
    operator, *_, core, library = row
    # A size beyond counting: the form's headers do not know which operator they are part of.
    if core.replace(f"{operator}(): numel", "numel") == library:
        return True
    by_kernel = library == "accepted" and OF_KERNELS.search(core)
    return by_kernel or any(a in core and b in library for a, b in OTHERWISE)


def test_both_refuse_the_same(compared):
    _, rows = compared
    wrong = [row for row in rows if row[3] != row[4] and not excused(row)]
    assert not wrong, "\n".join("\n  ".join(row) for row in wrong[:20])


def test_most_operators_are_compared(compared):
    """And of nearly each some call is refused by both; tensors of two devices are refused by all."""
    names, rows = compared
    assert len(names) >= 55
    refused = {row[0] for row in rows if row[3] == row[4] != "accepted"}
    assert refused <= {name.removeprefix(PREFIX) for name in names}
    assert len(refused) > 50
    elsewhere = [row for row in rows if row[2].endswith(": meta")]
    assert {row[0] for row in elsewhere} >= {"bmm", "embedding", "nll_loss_forward"}
    # A tensor without dimensions in the host's memory goes anywhere.
    assert not [row for row in elsewhere if "accepted" in row[3:] and "()" not in row[1]]


def test_every_excuse_is_needed(compared):
    _, rows = compared
    apart = [row for row in rows if row[3] != row[4]]
    for a, b in OTHERWISE:
        assert any(a in row[3] and b in row[4] for row in apart)
