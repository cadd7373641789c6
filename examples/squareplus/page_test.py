"""docs/libraries.md shows the files that are here, and its command prints what it says."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

HERE = Path("examples/squareplus")
CHECKOUT = Path("pyproject.toml").resolve().parent
PAGE = (CHECKOUT / "docs/libraries.md").read_text(encoding="utf-8")
FILES = {
    "yaml": ["examples/squareplus/ops.yaml"],
    "starlark": [
        *("WORKSPACE", "examples/squareplus/BUILD", "examples/digits/BUILD"),
        "tests/kernels/library/BUILD",
    ],
    "cpp": ["examples/digits/train.cc"],
}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def load_lines_apart(block: str) -> str:
    """Other rules of a BUILD file load what the page does not show."""
    return "".join(line for line in block.splitlines(keepends=True) if not line.startswith("load("))


@pytest.mark.parametrize("language", FILES)
def test_the_page_shows_these_files(language: str) -> None:
    texts = [(CHECKOUT / file).read_text(encoding="utf-8") for file in FILES[language]]
    shown = [load_lines_apart(block).strip() for block in blocks(language)]
    assert shown
    assert [block for block in shown if not any(block in text for text in texts)] == []


def test_the_command_of_the_page_prints_what_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    opweave = Path("codegen/cli/opweave").resolve()
    monkeypatch.chdir(HERE)
    (block,) = blocks("console")
    program, *arguments = shlex.split(block.removeprefix("$ "))
    assert program == "opweave"
    run = subprocess.run([opweave, *arguments], capture_output=True, text=True, check=False)
    assert run.stdout + run.stderr == ""
