"""Programs compiled with the headers of some.yaml: what it selects compiles, the rest says what to add."""

import re
from pathlib import Path

import pytest

LOGS = {path.stem: path.read_text() for path in Path("tests/selection").glob("*.log")}
SAYS = re.compile(r": error: call to '([\w:-]+)' declared with attribute error: (.*)")


def test_what_is_selected_compiles():
    assert LOGS["uses_selected"] == "0\n"


@pytest.mark.parametrize(
    ("program", "function", "operator"),
    [
        ("calls_function", "ow::addmm", "addmm"),
        ("calls_method", "ow::Tensor::round", "round"),
        ("calls_overload", "ow::div", "div.Scalar"),
    ],
)
def test_what_is_left_out_names_itself_and_the_line_to_add(program, function, operator):
    log = LOGS[program]
    assert log.splitlines()[-1] == "1"
    message = (
        f"operator '{operator}' was left out of this build (selection some.yaml): "
        f"add `- {operator}` under operators"
    )
    assert SAYS.findall(log) == [(function, message)]


@pytest.mark.parametrize(
    ("program", "line"),
    [("calls_function", 4), ("calls_method", 6), ("calls_overload", 4)],
)
def test_the_line_of_the_program_is_named(program, line):
    assert re.search(rf"programs/{program}\.cc:{line}:\d+", LOGS[program])
