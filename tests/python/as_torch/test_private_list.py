"""Private names that public programs use: which are there (private_names.txt), that those which are take what
PyTorch's functions take (private_arguments.txt) and do what these do (programs), as
tests/reference/record_private.py has recorded."""

import importlib
import inspect
from pathlib import Path

import pytest
from support.programs import run

HERE = Path(__file__).parent

PROGRAM = """
import importlib, sys, warnings
import torch
warnings.simplefilter("ignore")
for name in open(sys.argv[1]).read().split():
    found, path = torch, "torch"
    for part in name.split(".")[1:]:
        path += "." + part
        try:
            found = getattr(found, part)
        except AttributeError:
            try:
                found = importlib.import_module(path)
            except ImportError:
                found = None
                break
    there = found is not None and not getattr(found, "_is_name_only", False)
    print("there" if there else "lacking", name)
"""


def _listed():
    lines = (HERE / "private_names.txt").read_text().splitlines()
    return [line.split() for line in lines if not line.startswith("#")]


def test_the_list_says_what_is_there(tmp_path):
    rows = _listed()
    names = tmp_path / "names.txt"
    names.write_text("\n".join(name for *_, name in rows))
    said, errors = run(tmp_path, PROGRAM, arguments=[str(names)])
    wanted = [f"{state} {name}" for _, _, state, name in rows]
    assert said.splitlines() == wanted, errors


def test_the_list_is_in_its_order():
    def place(row):
        met, found, _, name = row
        return -int(met), -int(found) if found != "-" else 0, name

    rows = _listed()
    assert rows == sorted(rows, key=place)
    assert len({name for *_, name in rows}) == len(rows)


def test_all_private_names_of_as_torch_are_listed():
    from opweave.as_torch import _lacking

    listed = {name for *_, name in _listed()}
    known = {f"{m}.{n}" for m, names in _lacking.names_elsewhere().items() for n in names}
    assert {n for n in known if any(p.startswith("_") for p in n.split("."))} - listed == set()


def _recorded():
    lines = (HERE / "private_arguments.txt").read_text().splitlines()
    return [tuple(line.split(":")) for line in lines]


@pytest.mark.parametrize(("name", "taken"), _recorded(), ids=[name for name, _ in _recorded()])
def test_a_private_function_takes_what_pytorchs_does(name, taken):
    """Programs that call PyTorch's by name would get another function."""
    module, _, last = name.replace("torch", "opweave", 1).rpartition(".")
    function = getattr(importlib.import_module(module), last)
    ours = [p.name for p in inspect.signature(function).parameters.values()]
    theirs = [argument.strip("=*") for argument in taken.split()]
    assert ours[: len(theirs)] == theirs or (
        ours[-1] == "options" and theirs[: len(ours) - 1] == ours[:-1]
    )


PROGRAMS = sorted((HERE / "programs").glob("*.txt"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_prints_what_it_prints_with_pytorch(program, tmp_path):
    said, errors = run(tmp_path, program.read_text())
    assert said == program.with_suffix(".said").read_text(), errors
