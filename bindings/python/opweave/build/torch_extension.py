"""The operators of a library as an extension of PyTorch."""

from pathlib import Path

from opweave.build.errors import BuildError
from opweave.build.generate import run_generator
from opweave.build.installation import CORE_OPERATORS, check_installation


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
    run_generator(
        *("gen", "--emit=torch", "--library", sources.name, "--out", out),
        *("--import-ops", CORE_OPERATORS, *words),
    )
    return Path(out)
