"""The tests that follow from a library's entries: those of Opweave's own operators, on its samples."""

import importlib.util
import os
import subprocess
import sys

from opweave.build.builder import build_library, default_folders
from opweave.build.errors import BuildError
from opweave.build.installation import PACKAGE, SHARE

TESTS = SHARE / "conformance"


def _check_modules():
    missing = [name for name in ("numpy", "pytest") if importlib.util.find_spec(name) is None]
    if missing:
        raise BuildError(
            f"the tests of a library need {' and '.join(missing)}: 'pip install {' '.join(missing)}' "
            f"installs them"
        )


def run_tests(sources, words=(), verbose=False):
    """Builds a library and tests its operators: values against NumPy, gradients, vmap, forms, layouts, …

    Args:
        sources: `read_folder(...)`.
        words: more for pytest, such as ["-k", "gradcheck"].
        verbose: whether to show what the compiler does.

    Returns:
        pytest's exit status, 0 if all tests pass.
    """
    _check_modules()
    work, place = default_folders(sources)
    place = build_library(sources, work, place, verbose)
    tables = (work / "gen" / "opweave" / "tests").resolve()
    own = sorted(sources.folder.glob("tests/test_*.py"))
    # Tables first: `operators` and `results` are the library's.
    path = [
        tables,
        TESTS,
        place.parent,
        PACKAGE.parent,
        *os.environ.get("PYTHONPATH", "").split(":"),
    ]
    environment = {
        **os.environ,
        "PYTHONPATH": ":".join(str(part) for part in path if str(part)),
        "OPWEAVE_TESTED_LIBRARY": sources.name,
    }
    command = [
        *(sys.executable, "-m", "pytest", "-q", "-p", "opweave.build.pytest_library"),
        *("-p", "no:cacheprovider", "--rootdir", str(TESTS), "--import-mode=importlib"),
        *map(str, sorted(TESTS.glob("test_*.py"))),
        *map(str, own),
        *words,
    ]
    return subprocess.run(command, env=environment, check=False).returncode
