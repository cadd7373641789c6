"""The sources are formatted, linted and of a readable size."""

import os
import pwd
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

# Runfiles are links into the checkout.
CHECKOUT = Path("pyproject.toml").resolve().parent
# Not $HOME: Bazel keeps the environment of a test apart from the user's.
TOOLS = Path(pwd.getpwuid(os.getuid()).pw_dir) / ".cache/opweave/tools/bin"
MAX_LINES = 500
# Of the generator.
MAX_LINES_OF_GENERATOR = 400
MAX_LINES_OF_FUNCTION = 60


def run(*command: str) -> None:
    result = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def tool(name: str) -> str:
    path = shutil.which(name, path=f"{TOOLS}:{os.environ['PATH']}")
    if path is None:
        pytest.skip(f"{name} is not installed (./dev setup installs it)")
    return path


def sources(*patterns: str) -> list[str]:
    files = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns]
    listed = ["git", "-c", "safe.directory=*", *files]
    output = subprocess.run(listed, cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout
    return [name for name in output.split("\0") if name and (CHECKOUT / name).exists()]


def test_ruff_check() -> None:
    run(tool("ruff"), "check", "--no-cache", ".")


def test_ruff_format() -> None:
    run(tool("ruff"), "format", "--no-cache", "--diff", ".")


def test_clang_format() -> None:
    # Those of ./dev format.
    script = "source tools/dev/format.sh && cxx_sources"
    listed = subprocess.run(
        ["bash", "-c", script], cwd=CHECKOUT, capture_output=True, text=True, check=True
    )
    run(tool("clang-format"), "--dry-run", "-Werror", *listed.stdout.splitlines())


def test_mypy_of_tools() -> None:
    scripts = sources("tools/*.py", "tools/**/*.py")
    run(tool("mypy"), "--cache-dir", "/dev/null", "--scripts-are-modules", *scripts)


def test_used_operators_are_listed() -> None:
    run(sys.executable, "tools/codegen/update_operators.py", "--check")


def test_no_merge_was_left_half_done() -> None:
    """Also in pages and data, which nothing else reads line by line."""
    marks = re.compile(rb"^(<{7}|>{7}) ", re.MULTILINE)
    found = [name for name in sources("*") if marks.search((CHECKOUT / name).read_bytes())]
    assert not found


def test_files_are_short() -> None:
    limited = sources("*.cc", "*.h", "*.cu", "*.cuh", "*.py", "*.bzl")
    lengths = {name: len((CHECKOUT / name).read_bytes().splitlines()) for name in limited}
    too_long = {name: n for name, n in lengths.items() if n > MAX_LINES}
    assert not too_long, f"over {MAX_LINES} lines: {too_long}"


# The formatter breaks a comment that is too long and leaves what follows as it is: a rule of dashes on a line
# of its own, or a few words before a line that goes on in mid-sentence.
TORN = re.compile(
    r"^( *)// (?P<short>[^\n]{0,60}[^.:;?!)}\n])\n\1// (?P<word>[a-z]+)", re.MULTILINE
)
RULE = re.compile(r"^ *// -{4,}$", re.MULTILINE)
NARROW = 75


def torn_comments(text: str) -> list[str]:
    short = [m for m in TORN.finditer(text) if len(m[1] + m["short"] + m["word"]) + 4 <= NARROW]
    return [m[0] for m in [*short, *RULE.finditer(text)]]


def test_comments_are_not_torn() -> None:
    torn = {
        name: found
        for name in sources("*.cc", "*.h", "*.cu", "*.cuh")
        if (found := torn_comments((CHECKOUT / name).read_text(errors="replace")))
    }
    assert not torn, f"comments torn by the formatter: {torn}"


def test_what_torn_comments_are() -> None:
    assert torn_comments("// Names the operator, what\n// was\n// given and what was not.\n")
    assert torn_comments("// --- hooks\n// ------------------\n")
    assert not torn_comments("// One sentence.\n// another\n\n// --- hooks ------\n")


def function_lengths(text: str) -> dict[str, int]:
    """Lines of each function, told by how clang-format lays them out: from an opening line at the left
    or in a class to the brace below its first letter."""
    found = {}
    start: tuple[int, int, str] | None = None
    for number, line in enumerate(text.splitlines()):
        indent = len(line) - len(line.lstrip())
        if start and line.rstrip(";") == " " * start[1] + "}":
            found[start[2]] = number - start[0] + 1
            start = None
        elif not start and indent in (0, 2) and line.endswith("{") and ")" in line:
            start = (number, indent, line.strip())
    return found


def test_generator_is_in_small_pieces() -> None:
    texts = {name: (CHECKOUT / name).read_text() for name in sources("codegen/*.cc", "codegen/*.h")}
    long_files = {
        name: len(text.splitlines())
        for name, text in texts.items()
        if len(text.splitlines()) > MAX_LINES_OF_GENERATOR
    }
    assert not long_files, f"over {MAX_LINES_OF_GENERATOR} lines: {long_files}"
    functions = [
        (name, function, length)
        for name, text in texts.items()
        for function, length in function_lengths(text).items()
    ]
    assert len(functions) > 500
    long_functions = [f for f in functions if f[2] > MAX_LINES_OF_FUNCTION]
    assert not long_functions, f"over {MAX_LINES_OF_FUNCTION} lines: {long_functions}"
