"""Runs pytest inside a Bazel test: report, filter, shards and sanitizers as Bazel asks for them."""

import os
import pwd
import sys
from pathlib import Path

import pytest


class Shard:
    """Keeps the cases of this shard (`shard_count` of the Bazel test)."""

    def __init__(self, index: int, count: int) -> None:
        self.index = index
        self.count = count

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = items[self.index :: self.count]


def restart_with_sanitizer() -> None:
    """The sanitizer's library must be the first one loaded: preload it into a fresh Python."""
    library = os.environ.pop("OPWEAVE_SANITIZER", None)
    if library is None:
        return
    # With the C++ library, whose throw the sanitizer looks up before Python has loaded it.
    env = dict(os.environ, LD_PRELOAD=f"{library}:libstdc++.so.6")
    # Python leaves much allocated at exit, none of which is ours to report; and tests ask for more
    # memory than there is, to see the error.
    env["ASAN_OPTIONS"] = "detect_leaks=0:allocator_may_return_null=1"
    os.execve(sys.executable, [sys.executable, *sys.argv], env)


def restart_with_tools() -> None:
    """Into the Python of `./dev setup`, where it is, for tests that need packages which Debian lacks."""
    if os.environ.pop("OPWEAVE_PYTHON_TOOLS", None) is None:
        return
    # Not $HOME: Bazel keeps it from tests.
    python = Path(pwd.getpwuid(os.getuid()).pw_dir) / ".cache/opweave/tools/bin/python"
    if python.exists():
        os.execv(python, [str(python), *sys.argv])


def options_from_bazel() -> list[str]:
    options = ["-p", "no:cacheprovider", "-rs", "--tb=short", "--color=no"]
    options += ["-c", "pyproject.toml", "--rootdir", os.getcwd()]
    if report := os.environ.get("XML_OUTPUT_FILE"):
        options.append(f"--junitxml={report}")
    if wanted := os.environ.get("TESTBRIDGE_TEST_ONLY"):
        options += ["-k", wanted]
    if directory := os.environ.get("TEST_TMPDIR"):
        options.append(f"--basetemp={directory}/pytest")
    return options


def shard_plugins() -> list[Shard]:
    count = int(os.environ.get("TEST_TOTAL_SHARDS", "1"))
    if count == 1:
        return []
    Path(os.environ["TEST_SHARD_STATUS_FILE"]).touch()
    return [Shard(int(os.environ["TEST_SHARD_INDEX"]), count)]


def main() -> int:
    restart_with_sanitizer()
    restart_with_tools()
    code = pytest.main([*options_from_bazel(), *sys.argv[1:]], plugins=shard_plugins())
    # A shard may have no case left; a whole test may not.
    empty = code == pytest.ExitCode.NO_TESTS_COLLECTED
    return 0 if empty and "TEST_TOTAL_SHARDS" in os.environ else int(code)


if __name__ == "__main__":
    sys.exit(main())
