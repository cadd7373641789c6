"""The cases of the generated tests: every sample of every operator, for each property that it can have.

Which properties these are follows from what ops.yaml says; what is left over is in exceptions.py, with
its reason.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from math import isfinite

import kernel_faults
import opweave as ow
import pytest
import running_call
from calls import arguments, call, label, mapped, results, takes_dtype, tensors
from exceptions import EXCEPTIONS, WITHOUT_GRADIENT
from operators import OPERATORS
from reference.dtypes import TABLE

# Devices may differ where shapes, dtypes or devices alone are read, or elements are moved.
ANY_DEVICE = {
    "copy_",
    "expand_as",
    "is_same_size",
    "reshape_as",
    "resize_as_",
    "to.other",
    "type_as",
    "view_as",
}
# How a call fails: also by a sample that is refused.
_FAILS = (Exception, pytest.fail.Exception)
OPERATOR = {o.full_name: o for o in OPERATORS}


@dataclass(frozen=True, eq=False)
class Case:
    operator: object
    sample: dict

    @cached_property
    def key(self):
        return f"{self.operator.full_name}({label(self.sample)})"

    @property
    def told(self):
        """What a test that fails says of the call."""
        return f"  call: {self.key}"

    @property
    def is_random(self):
        return "random" in self.operator.tags

    @property
    def has_values(self):
        """Whether a call gives the same elements each time."""
        return not {"random", "nondeterministic"} & set(self.operator.tags)

    def values(self, dtype="float64", salt=""):
        return arguments(ow, self.sample, dtype, salt)

    def run(self, values, **options):
        """Calls the operator. Of a random one every call draws the same numbers."""
        try:
            return self._call(values, **options)
        except Exception:
            if self.refusal is None:
                raise
        operator = self.operator
        what = f"{operator.full_name}: the sample was refused: {self.refusal}"
        pytest.fail(f"{operator.place}: {what}\n{self.told}", pytrace=False)

    def _call(self, values, **options):
        running_call.note(self.key)
        if self.is_random:
            ow.manual_seed(7)
        try:
            return call(ow, self.operator, values, **options)
        except Exception as error:
            kernel_faults.tell(self, error)
            raise

    @cached_property
    def refusal(self):
        """Why the operator takes the sample in no dtype; None if it takes it."""
        errors = []
        for dtype in ("float64", "int64", "bool"):
            try:
                with ow.device("cpu"):
                    self._call(self.fresh(self.values(dtype)))
            except Exception as error:
                errors.append(f"{type(error).__name__}: {error}")
            else:
                return None
        return errors[0]

    def results(self, values, **options):
        """The results as a flat list; of an operator that returns nothing, what it writes."""
        found = results(ow, self.run(values, **options))
        written = {name: values[name] for name in self.operator.writes if name in values}
        return found if self.operator.returns else tensors(ow, written)

    @cached_property
    def real(self):
        """Names of the arguments that are differentiable: floating tensors and lists of them."""
        return [
            name
            for name, value in self.values().items()
            if tensors(ow, {name: value}) and takes_dtype(self.sample[name])
        ]

    @property
    def variable(self):
        """Those of them that results can be differentiated by."""
        op = self.operator
        constant = {n for name, n in WITHOUT_GRADIENT if name == op.full_name} | {*op.refused}
        return [n for n in self.real if n not in constant]

    @cached_property
    def glance(self):
        """What a call shows: (whether arguments and results are finite, whether a result can have a
        gradient); or how it fails."""
        values = self.values()
        try:
            found = self.results(self.fresh(values))
        except _FAILS as error:
            return error
        numbers = [x for x in (*values.values(), *found) if isinstance(x, float)]
        every = [t for t in (*tensors(ow, values), *found) if isinstance(t, ow.Tensor)]
        finite = all(bool(ow.isfinite(t.detach()).all()) for t in every)
        return finite and all(map(isfinite, numbers)), bool(self.smooth(found))

    @property
    def is_finite(self):
        """Whether differences say something: neither arguments nor results are infinite or NaN. A call that
        fails is left to the test to tell."""
        return not isinstance(self.glance, tuple) or self.glance[0]

    @property
    def gives_floats(self):
        """Whether a result can have a gradient; of a call that fails as above."""
        return not isinstance(self.glance, tuple) or self.glance[1]

    def smooth(self, found):
        """The results that can have a gradient."""
        constant = self.operator.constant_results
        found = [r for i, r in enumerate(found) if i not in constant]
        return [r for r in found if isinstance(r, ow.Tensor) and r.is_floating_point()]

    @property
    def is_differentiable(self):
        return self.operator.differentiable and bool(self.variable) and self.gives_floats

    @cached_property
    def placed(self):
        """Names of arguments that are tensors."""
        return [n for n, v in self.values().items() if isinstance(v, ow.Tensor)]

    @property
    def is_of_one_device(self):
        """Whether a call has several tensors, all of which have to be on one device."""
        return self.operator.full_name not in ANY_DEVICE and len(self.placed) > 1

    @property
    def has_dimensions(self):
        """Whether several of its tensors have dimensions."""
        return sum(self.values()[name].dim() > 0 for name in self.placed) > 1

    @property
    def can_be_batched(self):
        """Whether vmap runs it: a batched tensor cannot change its shape in place."""
        operator = self.operator
        tags = {"random", "data_dependent"} & set(operator.tags)
        reshapes = operator.functional and OPERATOR[operator.functional].views
        gives_tensors = all(t.startswith("Tensor") for t in operator.returns)
        return (
            bool(self.real)
            and self.has_values
            and operator.batched
            and gives_tensors
            and not tags
            and not reshapes
        )

    def fresh(self, values):
        """The arguments with copies of those that the operator writes."""
        written = {name: values[name] for name in self.operator.writes if name in values}
        return {**values, **mapped(ow, lambda t: t.clone(), written)}

    def as_function(self, values=None):
        """(function of the differentiable tensors, these tensors): what derivatives are taken of; in float64
        unless values are given."""
        values = values or self.values()
        inputs = tensors(ow, {name: values[name] for name in self.variable})

        def function(*given):
            given = iter(given)
            chosen = mapped(ow, lambda _: next(given), {n: values[n] for n in self.variable})
            floats = self.smooth(self.results(self.fresh({**values, **chosen})))
            return floats[0] if len(floats) == 1 else tuple(floats)

        return function, inputs


CASES = [Case(o, s) for o in OPERATORS for s in o.samples]


def _marks(case, wanted):
    """An exception is for an operator, or for one of its calls."""
    reason = EXCEPTIONS.get((case.operator.full_name, wanted)) or EXCEPTIONS.get((case.key, wanted))
    return [pytest.mark.xfail(reason=reason, strict=True)] if reason else []


def parameter(case, variant, wanted):
    name = "-".join(map(str, (*variant, wanted)))
    return pytest.param(case, *variant, id=f"{case.key}-{name}", marks=_marks(case, name))


def cases(wanted, condition, *variants):
    """Parameters of a test: the cases that meet the condition, once for each variant. A test of two
    arguments gets the variant as its second one."""
    each = [(v,) for v in variants] or [()]
    return [parameter(c, variant, wanted) for c in CASES if condition(c) for variant in each]


def assert_same(actual, expected, tolerance=1e-12):
    """Equal in dtype, shape and elements."""
    if not isinstance(expected, ow.Tensor):
        assert actual == expected
        return
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    close = ow.allclose(_plain(actual), _plain(expected), tolerance, tolerance, equal_nan=True)
    assert close, f"{actual}\nis not\n{expected}"


_OF_DTYPES = {"dtype", "dtypes", "floating", "integral", "integers"}
_OF_DTYPES |= {row[key] for row in TABLE for key in ("id", "name")}


def refuses_dtypes(error):
    """Whether a kernel speaks of dtypes; any other error is none of what it takes."""
    return bool(_OF_DTYPES & set(re.findall(r"\w+", str(error))))


def _plain(tensor):
    return tensor.detach().to(ow.float64)


def assert_all_same(actual, expected, tolerance=1e-12):
    assert len(actual) == len(expected)
    for a, e in zip(actual, expected):
        assert_same(a, e, tolerance)
