"""tools/dev/progress.py tells how far a build is, and loses nothing that a compiler says."""

import importlib.util
import io
from pathlib import Path

SPEC = importlib.util.spec_from_file_location("progress", Path("tools/dev/progress.py"))
progress = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(progress)
ERRORS = """\
INFO: From Compiling codegen/expr/walk.cc:
codegen/expr/walk.cc:7:1: warning: unused
ERROR: /home/me/opweave/codegen/expr/BUILD:7:14: Compiling codegen/expr/types.cc failed: (Exit 1): gcc failed
codegen/expr/types.cc:3:1: error: 'in' does not name a type
    3 | in x;
      | ^~
"""
BUILD = f"""\
INFO: Invocation ID: 6c9f091e
Loading: 0 packages loaded
INFO: Analyzed 5 targets (90 packages loaded, 19760 targets configured).
[0 / 4] [Prepa] Creating source manifest for //examples/digits:digits
[5 / 200] Compiling codegen/expr/lexer.cc; 0s local, remote-cache ... (3 actions, 2 running)
[50 / 1,000] Compiling codegen/expr/types.cc; 0s local, remote-cache ... (3 actions, 2 running)
{ERRORS}[51 / 1,000] checking cached actions
INFO: Elapsed time: 927.719s, Critical Path: 32.54s
"""


class Terminal(io.StringIO):
    def isatty(self):
        return True


def printed(to, seconds):
    """What is printed of BUILD where each look at the clock finds it so many seconds later."""
    now = [0]

    def clock():
        now[0] += seconds
        return now[0]

    progress.Progress("the generator", to, clock).read(BUILD.splitlines(keepends=True))
    return to.getvalue()


def test_a_log_gets_lines_with_the_time_that_is_left():
    text = printed(io.StringIO(), 20)
    assert text == (
        "the generator: 0 of 4 steps\n"
        "the generator: 5 of 200 steps\n"
        "the generator: 50 of 1000 steps (5 %), about 19 min 0 s left\n"
        f"{ERRORS}"
        "the generator: 51 of 1000 steps (5 %), about 24 min 49 s left\n"
        "the generator: 1 min 40 s\n"
    )


def test_a_log_gets_few_lines():
    assert printed(io.StringIO(), 1) == f"{ERRORS}the generator: 5 s\n"


def test_a_terminal_gets_one_line_that_changes():
    text = printed(Terminal(), 1)
    assert text.endswith("\r\033[Kthe generator: 5 s\n")
    assert text.count("\n") == ERRORS.count("\n") + 1
    assert "\r\033[Kthe generator: 50 of 1000 steps (5 %), about 57 s left" in text


def test_times_are_spelled():
    assert [progress.spelled(s) for s in (0.4, 59.4, 60, 3601)] == [
        "0 s",
        "59 s",
        "1 min 0 s",
        "60 min 1 s",
    ]
