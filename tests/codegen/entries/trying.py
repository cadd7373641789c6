"""Runs the generator over entries, and says what is wrong with how it took them."""

import ast
import os
import re
import subprocess
from pathlib import Path

OPWEAVE = Path("codegen/cli/opweave").resolve()

# In seconds: a sanitizer is ten times slower.
LIMIT = 600 if os.environ.get("OPWEAVE_SANITIZER") else 60


def run(*arguments):
    return subprocess.run(
        [OPWEAVE, *arguments], capture_output=True, text=True, timeout=LIMIT, check=False
    )


def parse_stubs(folder):
    """Whatever is in them, they are Python."""
    for path in folder.glob("**/*.py*"):
        ast.parse(path.read_text(encoding="utf-8"), path.name)


# Of digits that a gradient loses the generator warns, and of nothing else that it takes.
TOLD = re.compile(r"(?:warning|error)\[\w+\]")
LOST_DIGITS = "warning[OW0410]"


def complaint(folder, number, text):
    """What is wrong with how a broken entry was taken; empty if nothing is."""
    ops = folder / f"{number}.yaml"
    ops.write_text(text, encoding="utf-8")
    done = run("gen", "--out", folder / f"out{number}", "--shards", "1", "--ops", ops)
    if done.returncode == 0:
        try:
            parse_stubs(folder / f"out{number}")
        except SyntaxError as error:
            return f"accepted, but {error.filename}:{error.lineno} is no Python: {error.text}"
        other = set(TOLD.findall(done.stderr)) - {LOST_DIGITS}
        return f"accepted, but: {done.stderr}" if other else ""
    located = re.compile(rf"^{re.escape(str(ops))}:\d+:\d+: error\[OW\d+\]: \S", re.MULTILINE)
    fine = done.returncode == 1 and located.search(done.stderr)
    hidden = re.search(r"internal error|std::|(\bof |: )'' |\.cc\b|\x1b|\u202e", done.stderr)
    return "" if fine and not hidden else f"status {done.returncode}: {done.stderr}"
