"""What a library is made of, read from its folder."""

import keyword
import os
import re
import sys
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

from opweave.build.errors import BuildError, readable, words_of

# What a library is always built for.
HOST = "cpu"
# Words of `kernels` that are no hardware: one function serves every target.
_OF_ALL_TARGETS = ("composite", "every_target")


@dataclass(frozen=True)
class Sources:
    """The files of an operator library.

    Args:
        name: of the library and of the Python package.
        version: of the package; "0" if nothing says.
        ops: YAML files of its operators.
        derivatives: YAML files of their gradients.
        kernels: handwritten kernels for the CPU and for all targets, in C++.
        folder: where they are, against which messages name them.
        targets: hardware that kernels are compiled for, besides the CPU.
        target_kernels: handwritten kernels for those, in C++ or CUDA, each with its target.
        optional: whether nobody asked for them by name: without what compiles them they are left out.
        left_out: those that are: entries may name them.
        selection: the YAML file that says which operators are built; None: all.
        stable: whether the library is one for every release.
    """

    name: str
    version: str
    ops: tuple[Path, ...]
    derivatives: tuple[Path, ...]
    kernels: tuple[Path, ...]
    folder: Path
    targets: tuple[str, ...] = ()
    target_kernels: tuple[tuple[str, Path], ...] = ()
    optional: bool = False
    left_out: tuple[str, ...] = ()
    selection: Path | None = None
    stable: bool = False

    def kernels_of(self, target):
        """The handwritten kernels for a target besides the CPU."""
        return tuple(path for name, path in self.target_kernels if name == target)

    def handwritten(self):
        """The kernels for all targets."""
        return [*self.kernels, *(path for _, path in self.target_kernels)]

    def all_files(self):
        """Every file that decides what the library is."""
        selection = [self.selection] if self.selection else []
        return [*self.ops, *self.derivatives, *self.handwritten(), *selection]

    def headers(self):
        """The files that handwritten kernels include and that no compiler or core brings."""
        return sorted({path.resolve() for path in included(self.handwritten(), header_folders())})

    def only_for(self, targets):
        """The same library for these targets."""
        kernels = tuple(pair for pair in self.target_kernels if pair[0] in targets)
        had = dict.fromkeys(
            (*self.targets, *self.left_out, *(target for target, _ in self.target_kernels))
        )
        left_out = tuple(target for target in had if target not in targets)
        return replace(self, targets=tuple(targets), target_kernels=kernels, left_out=left_out)


_INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def _folders_of(words, option):
    for word, following in zip(words, [*words[1:], ""]):
        if word == option:
            yield Path(following)
        elif word.startswith(option):
            yield Path(word.removeprefix(option))


def header_folders():
    """The folders in which the environment lets a compiler look for headers."""
    words = words_of("CXXFLAGS")
    before, after = ("-iquote", "-I"), ("-isystem", "-idirafter")
    named = {option: list(_folders_of(words, option)) for option in (*before, *after)}
    of_variables = [
        Path(folder)
        for variable in ("CPATH", "CPLUS_INCLUDE_PATH")
        for folder in os.environ.get(variable, "").split(os.pathsep)
        if folder
    ]
    return [
        *(folder for option in before for folder in named[option]),
        *of_variables,
        *(folder for option in after for folder in named[option]),
    ]


def included(files, folders=()):
    """What files include, and what that includes, of what lies beside them or in `folders`."""
    found, new = {}, list(files)
    while new:
        paths = {path for file in new for path in _included_by(file, folders)}
        new = sorted(paths - found.keys())
        found |= dict.fromkeys(new)
    return list(found)


def _included_by(path, folders):
    with readable(path):
        text = path.read_text(encoding="utf-8", errors="replace")
    for quoted, named in _INCLUDE.findall(text):
        around = (path.parent, *folders) if quoted else folders
        places = (Path(os.path.normpath(folder / (quoted or named))) for folder in around)
        yield from [place for place in places if place.is_file()][:1]


# Modules that are imported beside a library: by Opweave, and by the tests of operators.
_TAKEN = {"numpy", "operators", "pytest", "results", "torch"}


def check_module(name, where):
    """BuildError if a package of this name would hide another module."""
    if name in _TAKEN or name in sys.stdlib_module_names:
        raise BuildError(
            f"{where}: '{name}' is the name of a module that Python programs import: a library of that name "
            "would take its place; give it another name"
        )


# Files are called after libraries and targets, with something before and behind; systems allow 255 bytes.
_LONGEST_NAME = 100


def check_name(name, where):
    """BuildError unless Python can import a library of this name."""
    if len(name) > _LONGEST_NAME:
        raise BuildError(
            f"{where}: expected a name of at most {_LONGEST_NAME} letters for an operator library, got "
            f"{len(name)}: '{name[:20]}...'"
        )
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or keyword.iskeyword(name):
        raise BuildError(
            f"{where}: '{name}' is no name for an operator library: expected letters, digits and "
            "underscores, as of a Python module"
        )
    if name == "opweave":
        raise BuildError(f"{where}: 'opweave' is the name of the core: give the library another")
    return name


def _project(folder):
    """The tables `project` and `tool.opweave` of pyproject.toml."""
    path = folder / "pyproject.toml"
    if not path.exists():
        return {}, {}
    try:
        with readable(path):
            content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BuildError(f"{path}: error: this is no TOML: {error}") from None
    tool = _table(content, "tool", path)
    return _table(content, "project", path), _table(tool, "opweave", path, "tool.")


def _table(content, key, path, before=""):
    table = content.get(key, {})
    if not isinstance(table, dict):
        raise BuildError(
            f"{path}: error: '{before}{key}' is {table!r}, expected a table, [{before}{key}]"
        )
    return table


def _text(project, key, default, folder):
    value = project.get(key, default)
    if not isinstance(value, str):
        raise BuildError(
            f"{folder / 'pyproject.toml'}: error: 'project.{key}' is {value!r}, expected a string"
        )
    return value


def check_targets(targets, where):
    """The names of hardware targets besides the CPU, in `targets`.

    Raises:
        BuildError: it is no list of names, or the CPU is not among them: libraries are always built for it.
    """
    is_list = isinstance(targets, list | tuple) and all(isinstance(t, str) for t in targets)
    if not is_list or not all(re.fullmatch(r"[a-z][a-z0-9_]*", t) for t in targets):
        raise BuildError(
            f"{where}: expected names of targets in a list, such as [{HOST!r}, 'cuda'], got {targets!r}"
        )
    if longest := [t for t in targets if len(t) > _LONGEST_NAME]:
        raise BuildError(
            f"{where}: expected names of targets of at most {_LONGEST_NAME} letters, got "
            f"{len(longest[0])}: '{longest[0][:20]}...'"
        )
    if HOST not in targets:
        raise BuildError(
            f"{where}: {HOST!r} is not among {', '.join(map(repr, targets)) or 'no targets'}: libraries are "
            "always built for it"
        )
    return tuple(dict.fromkeys(t for t in targets if t != HOST))


def _kernels(folder):
    """Those of the CPU and of all targets: what is compiled once."""
    places = (f"kernels/{name}/**/*.cc" for name in (HOST, *_OF_ALL_TARGETS))
    return sorted({path for place in ("kernels/*.cc", *places) for path in folder.glob(place)})


def _target_kernels(folder):
    """Those in `kernels/TARGET/`, of targets besides the CPU."""
    found = []
    for path in sorted(folder.glob("kernels/*/**/*")):
        target = path.relative_to(folder / "kernels").parts[0]
        if path.suffix in (".cc", ".cu") and target not in (HOST, *_OF_ALL_TARGETS):
            found.append((target, path))
    return tuple(found)


def read_folder(folder, name=None, targets=None):
    """The library in a folder: `ops.yaml`, and `derivatives.yaml` and `kernels` where they are.

    Its name and version are those of `pyproject.toml` (`[project]`), or the folder's name and "0".

    Args:
        folder: its path.
        name: of the library, instead.
        targets: which hardware it is built for: names, the CPU among them. By default `targets` of
            `[tool.opweave]` in `pyproject.toml`, or else the CPU and those that have a folder
            `kernels/TARGET` and can be compiled for.

    Raises:
        BuildError: there is no such folder, no ops.yaml in it, no name that can be imported, or no such
            targets.
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
    project, own = _project(folder)
    name = name or _text(project, "name", folder.resolve().name, folder)
    derivatives = folder / "derivatives.yaml"
    name = check_name(name.replace("-", "_"), folder)
    check_module(name, folder)
    sources = Sources(
        name=name,
        version=_text(project, "version", "0", folder),
        ops=(ops,),
        derivatives=(derivatives,) if derivatives.is_file() else (),
        kernels=tuple(_kernels(folder)),
        folder=folder,
        target_kernels=_target_kernels(folder),
    )
    if targets is None and "targets" in own:
        targets, where = own["targets"], f"{folder / 'pyproject.toml'}: tool.opweave.targets"
    else:
        where = f"{folder}: targets"
    if targets is not None:
        return sources.only_for(check_targets(targets, where))
    found = tuple(dict.fromkeys(target for target, _ in sources.target_kernels))
    return replace(sources, targets=found, optional=True)
