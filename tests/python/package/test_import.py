"""What `import opweave` loads: a program that starts pays for every module, whether it uses it or not."""

import os
import subprocess
import sys

# `-S`: without the modules that an installation's start-up files load anyway.
PROGRAM = """import sys
before = set(sys.modules)
import opweave
print(*sorted(set(sys.modules) - before))
"""
# What each of these takes, with all that it imports in turn, is up to a third of the whole import.
SLOW = {
    *[
        "argparse",
        "ast",
        "asyncio",
        "collections",
        "concurrent",
        "contextlib",
        "ctypes",
        "dataclasses",
    ],
    *[
        "decimal",
        "enum",
        "functools",
        "hashlib",
        "inspect",
        "io",
        "json",
        "logging",
        "multiprocessing",
    ],
    *["numpy", "pathlib", "pickle", "platform", "random", "re", "shutil", "socket", "struct"],
    *["subprocess", "tempfile", "threading", "traceback", "typing", "urllib", "zipfile"],
}
# What the import is made of; all else of the package waits for its first use.
OURS = {
    *[
        "_C",
        "_grad_mode",
        "_openmp",
        "_overridable",
        "_random",
        "_targets",
        "_tensor",
        "_version",
        "functional",
    ],
}


def imported() -> set[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-S", "-c", PROGRAM]
    run = subprocess.run(command, env=env, text=True, capture_output=True, check=True)
    return set(run.stdout.split())


def test_no_slow_module_of_the_standard_library() -> None:
    assert {name.partition(".")[0] for name in imported()} & SLOW == set()


def test_few_of_our_own() -> None:
    ours = {name.split(".")[1] for name in imported() if name.startswith("opweave.")}
    assert ours - OURS == set()
