"""The tests that follow from a library's entries: those of Opweave's own operators, on its samples.

On hardware besides the CPU its operators are compared with themselves on the CPU.
"""

import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from opweave import _targets
from opweave.build.builder import build_library, default_folders
from opweave.build.errors import BuildError
from opweave.build.installation import PACKAGE, SHARE
from opweave.build.sources import HOST
from opweave.build.target_parts import has_expressions, usable

TESTS = SHARE / "conformance"


def _check_modules():
    missing = [name for name in ("numpy", "pytest") if importlib.util.find_spec(name) is None]
    if missing:
        raise BuildError(
            f"the tests of a library need {' and '.join(missing)}: 'pip install {' '.join(missing)}' "
            f"installs them"
        )


def _check_target(sources, target):
    """That there is something to test on a target besides the CPU, and a device."""
    if target in _targets.BUILT_IN or target not in _targets.available():
        found = ", ".join(sorted({HOST, *_targets.available()}))
        raise BuildError(
            f"there is no target '{target}' to test on; found: {found}. Targets are looked for in "
            f"{PACKAGE / 'targets'} and in what OPWEAVE_TARGETS names (libopweave_{target}.so)"
        )
    if target not in usable(sources).targets:
        built = ", ".join((HOST, *sources.targets))
        raise BuildError(
            f"{sources.folder}: the library is not built for the target '{target}', but for {built}: name it "
            f"in --targets or give it kernels in kernels/{target}"
        )
    if _targets.module(target).device_count() == 0:
        raise BuildError(f"the target '{target}' has no device here: there is nothing to test on")


def _tests(sources, target):
    """The files of tests; those of the library itself run on the CPU."""
    if target != HOST:
        return sorted((TESTS / "on_target").glob("test_*.py"))
    return [*sorted(TESTS.glob("test_*.py")), *sorted(sources.folder.glob("tests/test_*.py"))]


def _environment(sources, target, path):
    """Variables of the tests' process; `path` is where it finds modules."""
    path = [*path, *os.environ.get("PYTHONPATH", "").split(":")]
    variables = {
        "PYTHONPATH": ":".join(str(part) for part in path if str(part)),
        "OPWEAVE_TESTED_LIBRARY": sources.name,
    }
    if target != HOST:
        variables["OPWEAVE_TESTED_TARGET"] = target
        variables["OPWEAVE_TESTED_EXPRESSIONS"] = "1" if has_expressions(target) else ""
    return {**os.environ, **variables}


def _signal_name(number):
    try:
        return f"{signal.Signals(number).name} ({signal.strsignal(number)})"
    except ValueError:
        return f"signal {number}"


# Seconds that a call of a sample may take. They are tiny.
_LONGEST_CALL = 60


def _noted(call):
    """The call that running_call.py has noted last, and whether it may still run."""
    text = call.read_bytes() if call.exists() else b""
    return text[:-1].rstrip(b"\0").decode(errors="replace"), text.endswith(b"+")


def _longest_call():
    text = os.environ.get("OPWEAVE_TEST_SECONDS", str(_LONGEST_CALL))
    if not text.isdecimal() or int(text) == 0:
        raise BuildError(
            f"OPWEAVE_TEST_SECONDS={text}: expected a whole number of seconds that a call may take"
        )
    return int(text)


def _run(sources, command, environment, call):
    """The exit status of the tests.

    Raises:
        BuildError: a call of a sample does not come to its end.
    """
    longest = _longest_call()
    with subprocess.Popen(command, env=environment) as process:
        while True:
            try:
                return process.wait(timeout=0.2)
            except subprocess.TimeoutExpired:
                name, runs = _noted(call)
            except BaseException:
                process.kill()
                raise
            if runs and time.time() - call.stat().st_mtime > longest:
                process.kill()
                raise BuildError(
                    f"{sources.folder}: this call of an operator has not ended within {longest} s "
                    f"(OPWEAVE_TEST_SECONDS allows others), and no test after it has run:\n  {name}"
                )


def _ended(sources, how, call, faults):
    """What is told of a run without an end: the call that ran, as running_call.py has noted it, and what may
    have ended it although it lies before."""
    name, _ = _noted(call)
    if not name:
        return f"{sources.folder}: the tests ended by {how} before any call"
    told = (
        f"{sources.folder}: the tests ended by {how} in or after this call of an operator, "
        f"and no test after it has run:\n  {name}"
    )
    if faults.exists():
        told += f"\nThis was found before, and may be why:\n{faults.read_text().rstrip()}"
    return told


def run_tests(sources, words=(), verbose=False, target=HOST):
    """Builds a library and tests its operators: values against NumPy, gradients, vmap, forms, layouts, …

    Args:
        sources: `read_folder(...)`.
        words: more for pytest, such as ["-k", "gradcheck"].
        verbose: whether to show what the compiler does.
        target: the hardware to test on. On another than the CPU values, forms, layouts, gradients and
            batches are compared with those of the CPU.

    Returns:
        pytest's exit status, 0 if all tests pass.

    Raises:
        BuildError: what the tests need is not there, the library cannot be built, or a kernel has ended
            the tests' process.
    """
    _check_modules()
    if target != HOST:
        _check_target(sources, target)
    work, place = default_folders(sources)
    place = build_library(sources, work, place, verbose)
    tables = (work / "gen" / "opweave" / "tests").resolve()
    # Tables first: `operators` and `results` are the library's.
    path = [tables, TESTS, TESTS / "on_target", place.parent, PACKAGE.parent]
    command = [
        *(sys.executable, "-m", "pytest", "-q", "-p", "opweave.build.pytest_library"),
        *("-p", "no:cacheprovider", "--rootdir", str(TESTS), "--import-mode=importlib"),
        *("-p", "no:faulthandler"),  # what a signal ends is told in short: _ended()
        *map(str, _tests(sources, target)),
        *(["-rfEs"] if target != HOST else []),  # what the target lacks
        *words,
    ]
    with tempfile.TemporaryDirectory() as folder:
        call, end, faults = (Path(folder) / name for name in ("call", "end", "faults"))
        environment = {
            **_environment(sources, target, path),
            "OPWEAVE_TESTED_CALL": str(call),
            "OPWEAVE_TESTED_END": str(end),
            "OPWEAVE_TESTED_FAULTS": str(faults),
        }
        status = _run(sources, command, environment, call)
        if status < 0:
            raise BuildError(_ended(sources, _signal_name(-status), call, faults))
        called = call.exists() and call.stat().st_size > 0
        if not end.exists() and (called or status == 0):
            raise BuildError(_ended(sources, f"exit({status})", call, faults))
    return status
