"""The operators of a library as an extension of PyTorch."""

import json
import sys
import tempfile
from pathlib import Path

from opweave.build.generate import known_targets, run_generator
from opweave.build.installation import CORE_OPERATORS, check_installation
from opweave.build.selection import selection_words, without_unselected_kernels
from opweave.build.sources import HOST

# Hardware whose kernels PyTorch can be given, with the generator's word before their places.
_KNOWN_TO_TORCH = {HOST: "", "cuda": "cuda="}
_HEADERS = (".h", ".cuh")


def _tell_what_stays_behind(sources, targets):
    if others := ", ".join(repr(target) for target in targets):
        print(
            f"{sources.folder}: kernels for {others} are not part of the extension",
            file=sys.stderr,
        )


def _words_of_kernels(sources, targets):
    """Handwritten kernels for the generator, and the headers beside them, each with its target."""
    files = [(HOST, path) for path in sources.kernels]
    files += [(name, path) for name, path in sources.target_kernels if name in targets]
    folders = dict.fromkeys((name, path.parent) for name, path in files)
    files += [(n, h) for n, f in folders for h in sorted(f.iterdir()) if h.suffix in _HEADERS]
    return [word for n, path in files for word in ("--kernels", f"{_KNOWN_TO_TORCH[n]}{path}")]


def _selected(sources, run, words):
    """The library without the kernels of operators that were left out; the generator knows which."""
    if sources.selection is None:
        return sources
    with tempfile.TemporaryDirectory(prefix="opweave-") as scratch:
        run(Path(scratch, "torch"), *words)
        text = Path(scratch, "torch", "operators.json").read_text(encoding="utf-8")
    return without_unselected_kernels(sources, json.loads(text))


def write_torch_extension(sources, out):
    """Writes the Python package of an extension of PyTorch; pip builds it, where PyTorch is.

    Args:
        sources: `read_folder(...)`.
        out: its folder; files that would not change are left alone, and those of an earlier call that are
            no longer part of it go.

    Raises:
        BuildError: errors of the YAML, and what PyTorch cannot be given, with the lines of the entries, or
            the folder holds something else.
    """
    check_installation()
    words = [word for path in sources.ops for word in ("--ops", path)]
    words += [word for path in sources.derivatives for word in ("--derivatives", path)]
    known = known_targets(sources)
    words += [word for target in known for word in ("--known-target", target)]
    targets = [target for target in (HOST, *sources.targets) if target in _KNOWN_TO_TORCH]
    words += [word for target in targets for word in ("--target", target)]

    def run(folder, *more):
        run_generator(
            *("gen", "--emit=torch", "--library", sources.name, "--out", folder),
            *("--import-ops", CORE_OPERATORS, *words, *more),
        )

    with tempfile.TemporaryDirectory(prefix="opweave-") as scratch:
        selection = selection_words(sources, scratch)
        kept = _selected(sources, run, selection)
        run(out, *selection, *_words_of_kernels(kept, targets))
    _tell_what_stays_behind(sources, [target for target in known if target not in targets])
    return Path(out)
