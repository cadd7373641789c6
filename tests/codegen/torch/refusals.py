"""The cases of refused/, as refusals.h describes them."""

from pathlib import Path
from typing import NamedTuple

FOLDER = Path("tests/codegen/torch/refused")


class Refusal(NamedTuple):
    name: str
    wrong: dict[str, str]
    mended: dict[str, str]
    recorded: str  # where torchgen refuses it


def read(path):
    cases = []
    for block in ("\n" + path.read_text()).split("\n== ")[1:]:
        name, *lines = block.split("\n")
        wrong, mended = {"native": ""}, {"native": ""}
        recorded, file = "", "native"
        for line in lines[:-1] if lines[-1] == "" else lines:
            if line == "derivatives:":
                file = "derivatives"
                wrong[file] = mended[file] = ""
            elif line.startswith("> "):
                recorded = line[2:]
            elif not line.startswith("! "):
                if line[:1] in " -":
                    wrong[file] += line[2:] + "\n"
                if line[:1] in " +":
                    mended[file] += line[2:] + "\n"
        cases.append(Refusal(name, wrong, mended, recorded))
    return cases


def files():
    return sorted(FOLDER.glob("*.txt"))


def write(path, sites):
    """Records where torchgen refuses each case of a file."""
    head, *blocks = ("\n" + path.read_text()).split("\n== ")
    written = head.removeprefix("\n")
    for block in blocks:
        name, *lines = block.split("\n")
        rest = [line for line in lines if not line.startswith("> ")]
        written += "\n== " + "\n".join([name, f"> {sites[name]}", *rest])
    path.write_text(written.removeprefix("\n"))
