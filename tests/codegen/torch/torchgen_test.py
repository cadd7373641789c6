"""What `opweave check --dialect=torch` refuses is what PyTorch's generator refuses, and where it does.

`OPWEAVE_UPDATE=1` in the environment records where torchgen refuses each case.
"""

import json
import os
import subprocess

import pytest
import refusals
from support import python_with_torch

SCRIPT = "tests/codegen/torch/torchgen_says.py"
TAKEN = "taken"


def ask(texts):
    """What torchgen says of pairs of files."""
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    done = subprocess.run(
        [python_with_torch(), SCRIPT], input=lines, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("path", refusals.files(), ids=lambda path: path.stem)
def test_torchgen_refuses_the_same_and_takes_what_is_mended(path):
    cases = refusals.read(path)
    found = ask([case.wrong for case in cases] + [case.mended for case in cases])
    wrong, mended = found[: len(cases)], found[len(cases) :]
    sites = {case.name: each.get("site", TAKEN) for case, each in zip(cases, wrong, strict=True)}
    if os.environ.get("OPWEAVE_UPDATE"):
        refusals.write(path, sites)
    else:
        assert sites == {case.name: case.recorded for case in cases}
    # What is taken there without doing anything is refused here alone.
    taken = [name for name, site in sites.items() if site == TAKEN]
    assert taken == (list(sites) if path.stem == TAKEN else [])
    refused = [(case.name, each["site"]) for case, each in zip(cases, mended, strict=True) if each]
    assert refused == []


# --- without PyTorch ----------------------------------------------------------------------------------------
def test_every_case_is_recorded():
    for path in refusals.files():
        assert [case.name for case in refusals.read(path) if not case.recorded] == []
