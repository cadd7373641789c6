"""Processes that this one starts: they find Opweave under PyTorch's name as well."""

import os
import pathlib

SITE = pathlib.Path(__file__).parent / "site"


def install():
    """Puts a folder with a sitecustomize before all others that new interpreters look through; it finds
    Opweave by its own place."""
    folders = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
    if str(SITE) not in folders:
        os.environ["PYTHONPATH"] = os.pathsep.join([str(SITE), *folders])
