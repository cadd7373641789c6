"""The operators of a library as an extension of PyTorch."""

import sys
from pathlib import Path

from opweave.build.errors import BuildError
from opweave.build.generate import known_targets, run_generator
from opweave.build.installation import CORE_OPERATORS, check_installation
from opweave.build.sources import HOST


def _tell_what_stays_behind(sources, targets):
    if others := ", ".join(repr(target) for target in targets if target != HOST):
        print(
            f"{sources.folder}: kernels for {others} are not part of the extension: its operators run on "
            "PyTorch's CPU",
            file=sys.stderr,
        )


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
    kernels = {path.parent for path in sources.kernels}
    if len(kernels) > 1:
        folders = ", ".join(sorted(map(str, kernels)))
        raise BuildError(
            f"{sources.folder}: kernels for PyTorch have to be in one folder, found them in {folders}"
        )
    words += [word for path in kernels for word in ("--kernels", path)]
    known = known_targets(sources)
    words += [word for target in known for word in ("--known-target", target)]
    run_generator(
        *("gen", "--emit=torch", "--library", sources.name, "--out", out),
        *("--import-ops", CORE_OPERATORS, *words),
    )
    _tell_what_stays_behind(sources, known)
    return Path(out)
