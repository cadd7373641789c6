"""The table of the generator's outputs, and what Bazel and the documentation have from it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

OPWEAVE = Path("codegen/cli/opweave").resolve()
# Runfiles are links into the checkout.
CHECKOUT = Path("pyproject.toml").resolve().parent
TEXT = subprocess.run(
    [OPWEAVE, "gen", "--list-outputs"], capture_output=True, text=True, check=True
).stdout
OUTPUTS = json.loads(TEXT)

sys.path.insert(0, str(CHECKOUT / "tools/codegen"))
import update_outputs  # noqa: E402


def test_bazel_has_the_table() -> None:
    assert (CHECKOUT / update_outputs.BZL).read_text() == update_outputs.bzl(OUTPUTS), (
        "run ./dev outputs"
    )


def test_the_architecture_page_has_the_table() -> None:
    text = (CHECKOUT / update_outputs.GUIDE).read_text()
    assert text == update_outputs.guide(text, OUTPUTS), "run ./dev outputs"


@pytest.mark.parametrize("row", OUTPUTS, ids=[row["path"] for row in OUTPUTS])
def test_a_line_names_files_and_libraries_that_there_are(row) -> None:
    assert row["holds"]
    emit = CHECKOUT / "codegen/emit"
    assert row["printed_by"]
    assert all((emit / file).is_file() for file in row["printed_by"])
    build = (CHECKOUT / "generated/BUILD").read_text()
    # Those that say what they are compiled with are made from their lines.
    made = row["library"] in ("", "{target}") or row["uses"]
    assert made or f'name = "{row["library"]}"' in build
    assert all((CHECKOUT / use.partition(":")[0] / "BUILD").is_file() for use in row["uses"])


def test_what_is_registered_says_by_whom() -> None:
    assert all(bool(row["registrar"]) == bool(row["registers"]) for row in OUTPUTS)


def test_a_page_without_the_table_is_refused() -> None:
    with pytest.raises(ValueError, match="has 0 tables of outputs, not one"):
        update_outputs.guide("# A page\n", OUTPUTS)


@pytest.mark.parametrize("command", ["check", "diff", "schema"])
def test_only_gen_lists_outputs(command) -> None:
    done = subprocess.run(
        [OPWEAVE, command, "--list-outputs", "a", "b"][:3], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert command == "diff" or "--list-outputs is for gen" in done.stderr
