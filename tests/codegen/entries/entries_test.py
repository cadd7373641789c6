"""Random entries: right ones are accepted and generated, broken ones are accepted or refused with a place."""

import random
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from grammar import WORDS, entries
from kernel_grammar import kernel_entries
from trying import LOST_DIGITS, TOLD, complaint, parse_stubs, run

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


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_right_entries_are_generated(seed, tmp_path):
    ops = tmp_path / "ops.yaml"
    texts = [entry.text() for entry in entries(seed, RIGHT)]
    ops.write_text("".join(texts + kernel_entries(seed, KERNELS)))
    done = run(
        *["gen", "--out", tmp_path / "out", "--library", "entries", "--shards", "1"],
        *["--import-ops", OPS, "--ops", ops],
    )
    assert (done.returncode, set(TOLD.findall(done.stderr)) - {LOST_DIGITS}) == (0, set())
    names = re.findall(r"^- func: (\w+)", ops.read_text(), re.MULTILINE)
    assert len(names) == RIGHT + KERNELS
    stubs = (tmp_path / "out/opweave/_generated.pyi").read_text()
    assert all(f"def {name}(" in stubs for name in names)
    parse_stubs(tmp_path / "out")


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
