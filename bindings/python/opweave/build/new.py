"""A library to start from."""

import shutil
from pathlib import Path

from opweave.build.errors import BuildError
from opweave.build.installation import SHARE
from opweave.build.sources import check_module, check_name

TEMPLATES = {
    "expr": "operators that are expressions: YAML alone",
    "kernel": "expressions, a formula, and a handwritten kernel with its gradient",
    "cuda": "the same, and that kernel for NVIDIA GPUs as well",
}
# What the others add to, and what becomes of its entries.
_BASES = {"cuda": ("kernel", {"kernels: [cpu]": "kernels: [cpu, cuda]"})}
_PROJECT = """\
# What `python -m opweave.build wheel` calls the wheel, and which version it has.
[project]
name = "{name}"
version = "0.1"
"""


def _copy(like, folder):
    base, replaced = _BASES.get(like, (None, {}))
    if base:
        _copy(base, folder)
    shutil.copytree(SHARE / "templates" / like, folder, dirs_exist_ok=True)
    entries = folder / "ops.yaml"
    text = entries.read_text(encoding="utf-8")
    for old, new in replaced.items():
        text = text.replace(old, new)
    entries.write_text(text, encoding="utf-8")


def write_new(folder, like="kernel"):
    """Writes a library that builds and passes its tests into a new folder.

    Args:
        folder: its name is that of the library.
        like: a key of TEMPLATES.

    Raises:
        BuildError: the folder exists and is not empty, or its name is no name for a library.
    """
    folder = Path(folder)
    name = check_name(folder.resolve().name.replace("-", "_"), folder)
    check_module(name, folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BuildError(f"{folder}: exists already; name a folder that does not")
    try:
        _copy(like, folder)
        (folder / "pyproject.toml").write_text(_PROJECT.format(name=name), encoding="utf-8")
        (folder / ".gitignore").write_text("/build/\n/dist/\n", encoding="utf-8")
    except OSError as error:
        raise BuildError(f"{folder}: cannot be written: {error.strerror}") from None
    return folder
