"""The part of a library for hardware besides the CPU: a shared library of its own, loaded with its target."""

import sys

from opweave import _targets
from opweave.build.cuda import find_cuda
from opweave.build.errors import BuildError
from opweave.build.installation import INCLUDE
from opweave.build.sources import HOST


def has_expressions(target):
    """Whether `expr` is compiled for a target: it has given a meaning to the vocabulary."""
    return (INCLUDE / "kernels" / target / "pointwise" / "begin.h").exists()


def needs_cuda(sources, target):
    """Whether nvcc has to compile something of it."""
    has_files = any(path.suffix == ".cu" for path in sources.kernels_of(target))
    return has_files or list((INCLUDE / "kernels" / target / "pointwise").glob("*.cuh")) != []


def usable(sources):
    """The library for the targets that can be compiled for here.

    One that is there because it has kernels is left out, which stderr says, where a toolkit lacks.

    Raises:
        BuildError: a target that was asked for by name lacks its toolkit, or it is none.
    """
    targets = []
    for target in sources.targets:
        _check_target(sources, target)
        try:
            if needs_cuda(sources, target):
                find_cuda()
        except BuildError as error:
            if not sources.optional:
                raise
            print(
                f"{sources.folder}: built without the target '{target}': {error}", file=sys.stderr
            )
        else:
            targets.append(target)
    return sources.only_for(targets)


def _check_target(sources, target):
    """That something is compiled for it."""
    if sources.kernels_of(target) or has_expressions(target):
        return
    installed = ", ".join(sorted({HOST, "cuda", *_targets.available()}))
    raise BuildError(
        f"{sources.folder}: the library has nothing for the target '{target}': there is no folder "
        f"kernels/{target} with kernels in it, and expressions are not compiled for that target (known "
        f"here: {installed})"
    )


def generated_files(sources, generated, target):
    """What is compiled of a part besides handwritten kernels; pairs of a path and whether by nvcc."""
    folder = generated / "opweave" / target
    files = [(folder / "part.cc", False), (folder / "register.cc", False)]
    if has_expressions(target):
        by_nvcc = needs_cuda(sources, target)
        files += [(path, by_nvcc) for path in sorted(folder.glob("pointwise_*.cc"))]
    return files
