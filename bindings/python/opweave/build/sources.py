"""What a library is made of, read from its folder."""

import keyword
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from opweave.build.errors import BuildError


@dataclass(frozen=True)
class Sources:
    """The files of an operator library.

    Args:
        name: of the library and of the Python package.
        version: of the package; "0" if nothing says.
        ops: YAML files of its operators.
        derivatives: YAML files of their gradients.
        kernels: handwritten kernels for the CPU, in C++.
        folder: where they are, against which messages name them.
    """

    name: str
    version: str
    ops: tuple[Path, ...]
    derivatives: tuple[Path, ...]
    kernels: tuple[Path, ...]
    folder: Path

    def all_files(self):
        """Every file that decides what the library is."""
        return [*self.ops, *self.derivatives, *self.kernels]


def check_name(name, where):
    """BuildError unless Python can import a library of this name."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or keyword.iskeyword(name):
        raise BuildError(
            f"{where}: '{name}' is no name for an operator library: expected letters, digits and "
            "underscores, as of a Python module"
        )
    if name == "opweave":
        raise BuildError(f"{where}: 'opweave' is the name of the core: give the library another")
    return name


def _project(folder):
    path = folder / "pyproject.toml"
    if not path.exists():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8")).get("project", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BuildError(f"{path}: error: this is no TOML: {error}") from None


def _kernels(folder):
    return sorted({*folder.glob("kernels/*.cc"), *folder.glob("kernels/cpu/**/*.cc")})


def read_folder(folder, name=None):
    """The library in a folder: `ops.yaml`, and `derivatives.yaml`, `kernels/cpu/*.cc` where there are any.

    Its name and version are those of `pyproject.toml` (`[project]`), or the folder's name and "0".

    Raises:
        BuildError: there is no such folder, no ops.yaml in it, or no name that can be imported.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise BuildError(f"{folder}: there is no such folder")
    ops = folder / "ops.yaml"
    if not ops.is_file():
        raise BuildError(
            f"{folder}: there is no ops.yaml in it, which describes the operators of a library; "
            f"'python -m opweave.build new {folder}' writes one to start from"
        )
    project = _project(folder)
    name = name or project.get("name", folder.resolve().name)
    derivatives = folder / "derivatives.yaml"
    return Sources(
        name=check_name(name.replace("-", "_"), folder),
        version=str(project.get("version", "0")),
        ops=(ops,),
        derivatives=(derivatives,) if derivatives.is_file() else (),
        kernels=tuple(_kernels(folder)),
        folder=folder,
    )
