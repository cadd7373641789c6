"""A plugin of pytest for the tests of a library: imports it before any test is read, tells each fault once,
and says what is compared with nothing."""

import importlib
import os
import sys

import pytest

from opweave import _C

# Operators that have failed, by the file of tests that found it.
_failed = set()
# A kernel that writes memory of others may end the tests anywhere, in a call of another one.
_MEMORY = "test_nothing_around_is_written"
_VALUES = "test_references.py"
# What finds the same fault: a gradient that is wrong.
_SAME = {
    "test_transforms.py": "test_gradients.py",
    "test_varied_gradients.py": "test_gradients.py",
}


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


def _is_of_memory(item):
    return getattr(item, "originalname", None) == _MEMORY


def pytest_collection_modifyitems(items):
    """Memory first, then values: what is wrong with them explains the rest."""
    items.sort(key=lambda item: (not _is_of_memory(item), item.path.name != _VALUES))


def pytest_runtest_setup(item):
    """What one sample has shown, others show again; wrong values show in all that is made of them."""
    about = _operator(item)
    if about is None:
        return
    for file in (about[0], _VALUES):
        if (file, about[1]) in _failed:
            pytest.skip(f"{about[1]} has failed in {file} already")


def pytest_runtest_teardown():
    """Called by pytest: what runs now is no sample."""
    if running_call := sys.modules.get("running_call"):
        running_call.idle()


# What a test that fails has shown; else its own first line says what it expects.
_SHOWN = {
    "test_batch": "vmap gives something else than a loop over the examples",
    "test_batch_of_one_argument": "vmap gives something else than a loop over the examples",
    "test_expanded": "its values depend on the layout of its arguments",
    "test_forward_agrees_with_reverse": "its forward rule is not its gradient",
    "test_forward_over_reverse_agrees_with_reverse": "the forward rule of its gradient is another",
    "test_functional": "the in-place form gives something else than the function",
    "test_inplace": "the in-place form gives something else than the function",
    "test_layout": "its values depend on the layout of its arguments",
    "test_matches_reference": "its values are not those of its expression",
    "test_meta": "what tensors without elements give is not what others give",
    "test_method": "the method gives something else than the function",
    "test_out": "the form with `out` gives something else than the function",
    "test_rule": "its results are not those of its rule",
    "test_second_gradient": "the gradient of its gradient is not that of its values",
}
_LONGEST_REASON = 12


def _said_at(operator):
    return next(iter(operator.gradients.values()), operator.place)


def _in_short(item, failure):
    """The entry, what is wrong with it, the call, and the last of what was compared."""
    case = item.callspec.params["case"]
    operator = case.operator
    place = operator.place or operator.full_name
    shown = _SHOWN.get(item.originalname) or f"it fails in {item.originalname}"
    lines = (str(failure.value) or failure.typename).splitlines()
    if failure.type is not AssertionError:
        lines[0] = f"{failure.typename}: {lines[0]}"
    reason = [f"  {line}" for line in lines if line.strip()][:_LONGEST_REASON]
    return "\n".join([f"{place}: {operator.full_name}: {shown}", f"  call: {case.key}", *reason])


def _keep(fault):
    """Notes what may end the process before anything is told."""
    with open(os.environ["OPWEAVE_TESTED_FAULTS"], "a") as file:
        file.write(f"{fault}\n")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Remembers which operators have failed."""
    outcome = yield
    about = _operator(item)
    report = outcome.get_result()
    if about and call.when == "call" and report.failed:
        _failed.add((_VALUES, about[1]) if _is_of_memory(item) else about)
        if _is_of_memory(item) and "writes memory" in str(call.excinfo.value):
            _keep(str(call.excinfo.value))
        if not isinstance(call.excinfo.value, pytest.fail.Exception):
            report.longrepr = _in_short(item, call.excinfo)


def _tell_of_one_thread(terminalreporter, operators):
    if _C.get_num_threads() == 1 and any(operator.by_hand for operator in operators):
        terminalreporter.write_line(
            "kernels ran on one thread: how parallel_for() splits their work is not tried "
            "(OMP_NUM_THREADS=2 has two)"
        )


def pytest_terminal_summary(terminalreporter):
    """Called by pytest."""
    try:
        from constant_results import without_gradient
        from operators import OPERATORS
        from references import (
            has_no_elements,
            is_compared_with_nothing,
            left_to_defaults,
            of_one_value,
        )
    except ImportError:
        return  # the run has ended before there was anything to compare
    _tell_of_one_thread(terminalreporter, OPERATORS)
    for operator in OPERATORS:
        if is_compared_with_nothing(operator):
            terminalreporter.write_line(
                f"{operator.full_name}: values are compared with nothing: give {operator.place} a "
                "'reference', a formula over other operators or {numpy: EXPRESSION}"
            )
        elif has_no_elements(operator):
            terminalreporter.write_line(
                f"{operator.full_name}: values are compared with nothing: no result of the samples of "
                f"{operator.place} has an element"
            )
        for name in left_to_defaults(operator):
            terminalreporter.write_line(
                f"{operator.full_name}: '{name}' is compared with its default alone: no sample of "
                f"{operator.place} gives it"
            )
        for name, value in of_one_value(operator).items():
            terminalreporter.write_line(
                f"{operator.full_name}: '{name}' is compared as {value!r} alone: no sample of "
                f"{operator.place} gives another"
            )
        for number in without_gradient(operator):
            terminalreporter.write_line(
                f"{operator.full_name}: result {number} depends on arguments and has no gradient, as "
                f"'output_differentiability' says ({_said_at(operator)}): what is computed of it loses one"
            )
