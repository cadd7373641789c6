"""Results that an entry says have no gradient, and that move when an argument does."""

import opweave as ow
from calls import mapped
from cases import CASES


def _moved(values, case):
    """The arguments with each differentiable one a little further on."""
    variable = {name: values[name] for name in case.variable}
    return {**values, **mapped(ow, lambda t: t * (1 + 1e-6) + 1e-6, variable)}


def _floats(results):
    return {
        i: r.detach()
        for i, r in enumerate(results)
        if isinstance(r, ow.Tensor) and r.is_floating_point()
    }


def _moving(case):
    """Numbers of the results of a call without gradient that depend on what can have one."""
    if not (case.has_values and case.variable and case.is_finite):
        return set()
    values = case.values()
    before = _floats(case.results(case.fresh(values)))
    after = _floats(case.results(case.fresh(_moved(values, case))))
    constant = set(case.operator.constant_results) & set(before) & set(after)
    return {i for i in constant if not ow.equal(before[i], after[i])}


def without_gradient(operator):
    """Numbers of the results that `output_differentiability` leaves out although they depend on arguments:
    what is computed of them has no gradient, and no one is told."""
    if not operator.differentiable or not operator.constant_results:
        return []
    found = set()
    for case in CASES:
        if case.operator is operator:
            try:
                found |= _moving(case)
            except Exception:  # a call that fails is told by the tests of calls
                continue
    return sorted(found)
