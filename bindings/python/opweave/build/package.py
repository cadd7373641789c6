"""The Python package that a library becomes, put where it belongs as a whole."""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

from opweave.build.errors import BuildError
from opweave.build.generate import stable_faces
from opweave.build.manifest import manifest_text
from opweave.build.sources import HOST

_INIT = '''\
"""The operators of {name}: functions of this module, of `opweave` and methods of tensors, as entries say."""

from opweave._libraries import load_package

load_package(__name__, __file__)
del load_package
'''


def write_package(sources, libraries, generated, operators, place):
    """Makes the folder `place`: the extension, what imports it, its types, and what it needs (library.json).

    `libraries` are the linked libraries by target: the extension is that for the CPU.

    A package that is there already is replaced when the new one is complete, and never half.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{place.name}-", dir=place.parent) as scratch:
        new = Path(scratch, "new")
        new.mkdir()
        built = new / f"{sources.name}.so"
        parts = {t: new / f"{sources.name}_{t}.so" for t in libraries if t != HOST}
        for target, library in libraries.items():
            shutil.copyfile(library, parts.get(target, built))
        (new / "__init__.py").write_text(_INIT.format(name=sources.name), encoding="utf-8")
        faces = stable_faces(generated) if sources.stable else None
        (new / "library.json").write_text(
            manifest_text(sources, built, parts, operators, faces), encoding="utf-8"
        )
        shutil.copyfile(generated / "opweave/_generated.pyi", new / "__init__.pyi")
        (new / "py.typed").touch()
        _replace(new, place, Path(scratch, "old"))
    return place


def _replace(new, place, old):
    with contextlib.suppress(FileNotFoundError):
        os.rename(place, old)
    try:
        os.rename(new, place)
    except OSError as error:
        if old.exists():
            os.rename(old, place)
        raise BuildError(f"{place}: the package cannot be put there: {error.strerror}") from None
