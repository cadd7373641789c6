"""The operators of a library as an extension of PyTorch."""

import sys
from pathlib import Path

from opweave.build.generate import known_targets, run_generator
from opweave.build.installation import CORE_OPERATORS, check_installation
from opweave.build.sources import HOST

# Hardware whose kernels PyTorch can be given.
_KNOWN_TO_TORCH = (HOST, "cuda")


def _tell_what_stays_behind(sources, targets):
    if others := ", ".join(repr(target) for target in targets):
        print(
            f"{sources.folder}: kernels for {others} are not part of the extension",
            file=sys.stderr,
        )


def _words_of_kernels(sources, targets):
    """The folders of handwritten kernels for the generator, each once."""
    files = [*sources.kernels, *(path for name, path in sources.target_kernels if name in targets)]
    folders = dict.fromkeys(path.parent for path in files)
    return [word for folder in folders for word in ("--kernels", folder)]


def write_torch_extension(sources, out):
    """Writes the Python package of an extension of PyTorch; pip builds it, where PyTorch is.

    Args:
        sources: `read_folder(...)`.
        out: its folder; files that would not change are left alone.

    Raises:
        BuildError: errors of the YAML, and what PyTorch cannot be given, with the lines of the entries.
    """
    check_installation()
    words = [word for path in sources.ops for word in ("--ops", path)]
    words += [word for path in sources.derivatives for word in ("--derivatives", path)]
    known = known_targets(sources)
    words += [word for target in known for word in ("--known-target", target)]
    targets = [target for target in (HOST, *sources.targets) if target in _KNOWN_TO_TORCH]
    words += [word for target in targets for word in ("--target", target)]
    words += _words_of_kernels(sources, targets)
    run_generator(
        *("gen", "--emit=torch", "--library", sources.name, "--out", out),
        *("--import-ops", CORE_OPERATORS, *words),
    )
    _tell_what_stays_behind(sources, [target for target in known if target not in targets])
    return Path(out)
