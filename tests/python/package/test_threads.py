"""How the threads of the library wait for one another, in processes of their own."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import os
import opweave
print(os.environ.get("GOMP_SPINCOUNT"), opweave.ones(100_000).sum().item())
"""


def started(**settings):
    """The environment as the script sees it after the import, and what OpenMP says it took from it."""
    kept = {k: v for k, v in os.environ.items() if k not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
    environment = kept | {"OMP_DISPLAY_ENV": "VERBOSE"} | settings
    command = [sys.executable, "-c", SCRIPT]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return run.stdout.split(), run.stderr


def test_waiting_threads_soon_sleep():
    (seen, total), openmp = started()
    assert "GOMP_SPINCOUNT = '2000'" in openmp
    assert seen == "None"  # programs that this one starts do not inherit it
    assert total == "100000.0"


@pytest.mark.parametrize(
    ("name", "value", "effect"),
    [("GOMP_SPINCOUNT", "77", "= '77'"), ("OMP_WAIT_POLICY", "PASSIVE", "= '0'")],
)
def test_the_user_chooses_otherwise(name, value, effect):
    _, openmp = started(**{name: value})
    assert f"GOMP_SPINCOUNT {effect}" in openmp
