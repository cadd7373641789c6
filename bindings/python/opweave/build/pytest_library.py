"""A plugin of pytest for the tests of a library: imports it before any test is read, tells each fault once,
and says what is compared with nothing."""

import importlib
import os

import pytest

# Operators that have failed, by the file of tests that found it.
_failed = set()
# What finds the same fault: a gradient that is wrong.
_SAME = {"test_transforms.py": "test_gradients.py"}


def pytest_configure(config):
    """Called by pytest."""
    importlib.import_module(os.environ["OPWEAVE_TESTED_LIBRARY"])


def pytest_unconfigure():
    """Called by pytest at its end, which a kernel that ends the process does not let come."""
    with open(os.environ["OPWEAVE_TESTED_END"], "w"):
        pass


def _operator(item):
    """What a test is about: (file, operator); None if it is not of one operator."""
    values = getattr(item, "callspec", None)
    case = values.params.get("case") if values else None
    if not hasattr(case, "operator"):
        return None
    return _SAME.get(item.path.name, item.path.name), case.operator.full_name


def pytest_collection_modifyitems(items):
    """Values first: what is wrong with them explains the rest."""
    items.sort(key=lambda item: item.path.name != "test_references.py")


def pytest_runtest_setup(item):
    """What one sample has shown, others show again."""
    about = _operator(item)
    if about in _failed:
        pytest.skip(f"{about[1]} has failed in {about[0]} already")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Remembers which operators have failed."""
    outcome = yield
    about = _operator(item)
    if about and call.when == "call" and outcome.get_result().failed:
        _failed.add(about)


def pytest_terminal_summary(terminalreporter):
    """Called by pytest."""
    try:
        from operators import OPERATORS
        from references import is_compared_with_nothing
    except ImportError:
        return  # the run has ended before there was anything to compare
    for operator in OPERATORS:
        if is_compared_with_nothing(operator):
            terminalreporter.write_line(
                f"{operator.full_name}: values are compared with nothing: give {operator.place} a "
                "'reference', a formula over other operators or {numpy: EXPRESSION}"
            )
