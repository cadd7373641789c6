"""Random entries: right ones are accepted and generated, broken ones are accepted or refused with a place."""

import ast
import os
import random
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from grammar import WORDS, entries
from kernel_grammar import kernel_entries

OPWEAVE = Path("codegen/cli/opweave").resolve()
OPS = Path("ops.yaml").resolve()
RIGHT, KERNELS, BROKEN = 500, 300, 1500
TOKENS = [
    *["(", ")", "[", "]", "{", "}", ",", ":", "?", "->", "*", "**", "=", "==", "!", "&", "&&", "~"],
    *[
        "'",
        '"',
        "#",
        "- ",
        "\n",
        "\n  ",
        "\t",
        "\\",
        "\x1b",
        "\u202e",
        "é",
        "0",
        "-1",
        "1e999",
        "0.5",
    ],
    *["Tensor", "Tensor?", "Tensor(a!)", "Tensor[]", "Scalar?", "int[2]", "bool[3]", "str", "grad"],
    *[
        "self",
        "none",
        "true",
        "None",
        "result",
        "edge",
        "log",
        "floor_div",
        "class",
        "NULL",
        "f(f)",
    ],
    *[
        "expr",
        "composite",
        "kernels: [cpu]",
        "dtypes: []",
        "variants: method",
        "samples: {}",
        "inf",
    ],
]

# In seconds: a sanitizer is ten times slower.
LIMIT = 600 if os.environ.get("OPWEAVE_SANITIZER") else 60


def run(*arguments):
    return subprocess.run(
        [OPWEAVE, *arguments], capture_output=True, text=True, timeout=LIMIT, check=False
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_right_entries_are_generated(seed, tmp_path):
    ops = tmp_path / "ops.yaml"
    texts = [entry.text() for entry in entries(seed, RIGHT)]
    ops.write_text("".join(texts + kernel_entries(seed, KERNELS)))
    done = run(
        *["gen", "--out", tmp_path / "out", "--library", "entries", "--shards", "1"],
        *["--import-ops", OPS, "--ops", ops],
    )
    assert (done.returncode, done.stderr) == (0, "")
    names = re.findall(r"^- func: (\w+)", ops.read_text(), re.MULTILINE)
    assert len(names) == RIGHT + KERNELS
    stubs = (tmp_path / "out/opweave/_generated.pyi").read_text()
    assert all(f"def {name}(" in stubs for name in names)
    parse_stubs(tmp_path / "out")


def parse_stubs(folder):
    """Whatever is in them, they are Python."""
    for path in folder.glob("**/*.py*"):
        ast.parse(path.read_text(encoding="utf-8"), path.name)


def broken(text, draw):
    """The text with a few pieces taken out, repeated, exchanged or put in."""
    pieces = re.split(r"(\W)", text)
    for _ in range(draw.randint(1, 3)):
        at = draw.randrange(len(pieces))
        match draw.randrange(5):
            case 0:
                pieces[at] = ""
            case 1:
                pieces[at] = draw.choice(TOKENS)
            case 2:
                pieces.insert(at, draw.choice(TOKENS))
            case 3:
                other = draw.randrange(len(pieces))
                pieces[at], pieces[other] = pieces[other], pieces[at]
            case _:
                pieces.insert(at, pieces[draw.randrange(len(pieces))])
    return "".join(pieces)


def complaint(folder, number, text):
    """What is wrong with how a broken entry was taken; empty if nothing is."""
    ops = folder / f"{number}.yaml"
    ops.write_text(text, encoding="utf-8")
    done = run("gen", "--out", folder / f"out{number}", "--shards", "1", "--ops", ops)
    if done.returncode == 0:
        parse_stubs(folder / f"out{number}")
        return "" if not done.stderr else f"accepted, but: {done.stderr}"
    located = re.compile(rf"^{re.escape(str(ops))}:\d+:\d+: error\[OW\d+\]: \S", re.MULTILINE)
    fine = done.returncode == 1 and located.search(done.stderr)
    hidden = re.search(r"internal error|std::|(\bof |: )'' |\.cc\b|\x1b|\u202e", done.stderr)
    return "" if fine and not hidden else f"status {done.returncode}: {done.stderr}"


def test_broken_entries_are_refused_with_a_place(tmp_path):
    draw = random.Random(7)
    good = [entry.text() for entry in entries(11, 300)] + kernel_entries(11, 150)
    texts = [broken(draw.choice(good), draw) for _ in range(BROKEN)]
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda pair: complaint(tmp_path, *pair), enumerate(texts))
        bad = [f"{text}\n{what}" for text, what in zip(texts, found, strict=True) if what]
    assert not bad, "\n\n".join(bad[:5])


def test_the_grammar_reaches_what_it_should():
    text = "".join(entry.text() for entry in entries(1, RIGHT))
    for piece in ["composite:", "!= none", "mode == ", "flag ?", "&", "dtypes: integral", *WORDS]:
        assert piece in text
