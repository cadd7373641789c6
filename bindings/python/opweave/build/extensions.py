"""The operators of a library as a package for another framework: PyTorch or JAX."""

import json
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from opweave.build.generate import known_targets, run_generator
from opweave.build.installation import CORE_OPERATORS, check_installation
from opweave.build.selection import selection_words, without_unselected_kernels
from opweave.build.sources import HOST, included


class Framework(NamedTuple):
    """What a package is made for."""

    title: str
    emit: str  # the generator's word
    targets: dict  # hardware whose kernels it can be given, with the generator's word before their places


FRAMEWORKS = {
    "torch": Framework("PyTorch", "torch", {HOST: "", "cuda": "cuda="}),
    "jax": Framework("JAX", "jax", {HOST: ""}),
}
_HEADERS = (".h", ".cuh")


def _tell_what_stays_behind(sources, targets):
    if others := ", ".join(repr(target) for target in targets):
        print(
            f"{sources.folder}: kernels for {others} are not part of the extension",
            file=sys.stderr,
        )


def _words_of_kernels(sources, targets):
    """Handwritten kernels for the generator, each with its target, and the headers that they include or that
    are beside them."""
    words = []
    for name in targets:
        files = list(sources.kernels if name == HOST else sources.kernels_of(name))
        folders = dict.fromkeys(path.parent for path in files)
        beside = [h for f in folders for h in sorted(f.iterdir()) if h.suffix in _HEADERS]
        for path in dict.fromkeys((*files, *beside, *included([*files, *beside]))):
            words += ["--kernels", f"{targets[name]}{path}"]
    return words


def _selected(sources, run, words):
    """The library without the kernels of operators that were left out; the generator knows which."""
    if sources.selection is None:
        return sources
    with tempfile.TemporaryDirectory(prefix="opweave-") as scratch:
        run(Path(scratch, "all"), *words)
        text = Path(scratch, "all", "operators.json").read_text(encoding="utf-8")
    return without_unselected_kernels(sources, json.loads(text))


def write_extension(sources, out, framework):
    """Writes the Python package for another framework; pip builds it, where that is.

    Args:
        sources: `read_folder(...)`.
        out: its folder; files that would not change are left alone, and those of an earlier call that are
            no longer part of it go.
        framework: of `FRAMEWORKS`.

    Raises:
        BuildError: errors of the YAML, and what the framework cannot be given, with the lines of the entries,
            or the folder holds something else.
    """
    check_installation()
    words = [word for path in sources.ops for word in ("--ops", path)]
    words += [word for path in sources.derivatives for word in ("--derivatives", path)]
    known = known_targets(sources)
    words += [word for target in known for word in ("--known-target", target)]
    # Expressions are for all hardware that the framework has, unless somebody named less.
    asked = [HOST, *sources.targets, *(framework.targets if sources.optional else ())]
    targets = {name: word for name, word in framework.targets.items() if name in asked}
    words += [word for target in targets for word in ("--target", target)]

    def run(folder, *more):
        run_generator(
            *("gen", f"--emit={framework.emit}", "--library", sources.name, "--out", folder),
            *("--import-ops", CORE_OPERATORS, *words, *more),
        )

    with tempfile.TemporaryDirectory(prefix="opweave-") as scratch:
        selection = selection_words(sources, scratch)
        kept = _selected(sources, run, selection)
        run(out, *selection, *_words_of_kernels(kept, targets))
    _tell_what_stays_behind(sources, [target for target in known if target not in targets])
    return Path(out)
