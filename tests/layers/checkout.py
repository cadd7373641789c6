"""The files of the checkout, at which these tests look themselves."""

import subprocess
from pathlib import Path

# Runfiles are links into the checkout.
CHECKOUT = Path("pyproject.toml").resolve().parent
CPP = ("*.cc", "*.h", "*.cu", "*.cuh", "*.def")


def files(*patterns: str) -> list[str]:
    """Those that git knows or would, by their paths."""
    command = [
        "git",
        "-c",
        "safe.directory=*",
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]
    listed = subprocess.run(
        [*command, "--", *patterns], cwd=CHECKOUT, capture_output=True, text=True, check=True
    )
    return sorted(
        {name for name in listed.stdout.split("\0") if name and (CHECKOUT / name).exists()}
    )
