"""What a gradient that is wrong is told: where it is said, of which argument, and one number."""

import opweave as ow
import pytest
from calls import tensors
from opweave.autograd.gradcheck import (
    GradcheckError,
    _analytical_jacobian,
    _numerical_jacobian,
    gradcheck,
)


def error_of(check):
    """What a check raises; None if it raises nothing."""
    try:
        check()
    except Exception as error:
        return error


def _place(operator, name):
    return operator.gradients.get(name) or operator.place


def _first_line(error):
    return f"{type(error).__name__}: {error}".partition("\n")[0]


def names(case):
    """The argument of each tensor that is differentiated by."""
    values = case.values()
    return [name for name in case.variable for _ in tensors(ow, [values[name]])]


def _alone(case, name):
    """The function of one argument, and that argument's tensors."""
    function, _ = case.as_function()
    values = case.values()
    inputs = tensors(ow, {n: values[n] for n in case.variable})
    own = {id(t) for t in tensors(ow, {name: values[name]})}
    for x in inputs:
        x.requires_grad_(id(x) in own)
    return function, inputs


def _differing(numerical, analytical):
    """The first element that differs: (of the argument, of the result, by differences, by the formula)."""
    wrong = ~ow.isclose(analytical, numerical, rtol=1e-3, atol=1e-5)
    if not bool(wrong.any()):
        return None
    at = wrong.nonzero()[0]
    x, y = int(at[0]), int(at[1])
    return x, y, float(numerical[x, y]), float(analytical[x, y])


def _number(function, inputs):
    """One derivative that is wrong, as text."""
    found = function(*inputs)
    outputs = found if isinstance(found, tuple) else (found,)
    for target in [x for x in inputs if x.requires_grad]:
        numerical = _numerical_jacobian(function, inputs, target, 1e-6)
        for output, by_differences in zip(outputs, numerical):
            if not output.requires_grad:
                continue
            (by_formula,) = _analytical_jacobian(output, [target])
            if differing := _differing(by_differences, by_formula):
                x, y, real, told = differing
                return (
                    f"\n  element {y} of the result changes by {real:.6g} per unit of element {x} of the "
                    f"argument; the formula says {told:.6g}"
                )
    return ""


def _of_argument(case, name):
    """What is wrong with the gradient of one argument; empty if nothing is."""
    function, inputs = _alone(case, name)
    try:
        gradcheck(function, inputs)
    except GradcheckError:
        return f"is not that of its values{_number(*_alone(case, name))}"
    except Exception as error:
        return f"cannot be computed: {_first_line(error)}"
    return ""


def fail(case, error, what="gradient"):
    """Fails with the line in derivatives.yaml and the argument, where a check of gradients has failed."""
    call = f"\n{case.told}"
    operator = case.operator.full_name
    if what == "gradient":
        for name in case.variable:
            if wrong := _of_argument(case, name):
                told, _, number = wrong.partition("\n")
                text = (
                    f"{_place(case.operator, name)}: the gradient of {operator} by '{name}' {told}"
                )
                pytest.fail(text + call + (f"\n{number}" if number else ""), pytrace=False)
    places = sorted({_place(case.operator, name) for name in case.variable})
    text = f"{', '.join(places)}: the {what} of {operator} is wrong{call}\n  {_first_line(error)}"
    pytest.fail(text, pytrace=False)


def fail_forward(case, forward, reverse, what="tangent"):
    """The same where derivatives in forward mode are not those of the backward pass."""
    rules = [p for n, p in case.operator.gradients.items() if n not in case.sample]
    places = rules or sorted({_place(case.operator, name) for name in case.variable})
    text = (
        f"{', '.join(places)}: the {what} of {case.operator.full_name} does not agree with its gradient\n"
        f"{case.told}\n  along one direction {forward}, by the backward pass {reverse}"
    )
    pytest.fail(text, pytrace=False)


def fail_along(case, backward, slope):
    """The same where there are too many elements to look at each."""
    places = ", ".join(sorted({_place(case.operator, name) for name in case.variable}))
    text = (
        f"{places}: the gradient of {case.operator.full_name} is not that of its values\n{case.told}\n"
        f"  along one direction the results change by {slope:.6g}, by the backward pass {backward:.6g}"
    )
    pytest.fail(text, pytrace=False)


def fail_nan(case, name):
    """The same where NaN in the gradient of the result does not show in it."""
    text = (
        f"{_place(case.operator, name)}: the gradient of {case.operator.full_name} by '{name}' loses NaN in "
        f"the gradient of the result\n{case.told}"
    )
    pytest.fail(text, pytrace=False)


def fail_narrow(case, name, dtype, found, wanted):
    """The same where the gradient by one argument is right in float64, and not in another dtype."""
    off = (found.to(ow.float64) - wanted).abs()
    at = int(off.nan_to_num(float("inf")).argmax())
    text = (
        f"{_place(case.operator, name)}: the gradient of {case.operator.full_name} by '{name}' is wrong in "
        f"{dtype}\n{case.told}\n  element {at} is {float(found.flatten()[at]):.6g}, in float64 "
        f"{float(wanted.flatten()[at]):.6g}"
    )
    pytest.fail(text, pytrace=False)


def fail_laid(case, name, how, found, wanted):
    """The same where it is right by contiguous tensors of float64."""
    off = (found - wanted).abs().flatten()
    at = int(off.nan_to_num(float("inf")).argmax())
    text = (
        f"{_place(case.operator, name)}: the gradient of {case.operator.full_name} by '{name}' is wrong with "
        f"{how}\n{case.told}\n  element {at} is {float(found.flatten()[at]):.6g}, of contiguous float64 "
        f"{float(wanted.flatten()[at]):.6g}"
    )
    pytest.fail(text, pytrace=False)


def fail_layout(case, name, layout):
    """The same where the gradient depends on how what comes in lies in memory."""
    text = (
        f"{_place(case.operator, name)}: the gradient of {case.operator.full_name} by '{name}' is wrong "
        f"where the gradient of the result is {layout}: a kernel takes it for contiguous\n{case.told}"
    )
    pytest.fail(text, pytrace=False)
