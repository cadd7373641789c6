"""Indices that are all the same: derivatives against differences, of every operator that takes indices."""

import opweave as ow
import pytest
from calls import tensors
from cases import CASES, Case, parameter
from opweave.autograd import gradcheck


class Same(Case):
    """The call with every index 0."""

    def values(self, dtype="float64", salt=""):
        values = super().values(dtype, salt)
        return {n: ow.zeros_like(v) if n in self.indices else v for n, v in values.items()}

    @property
    def indices(self):
        """Names of the index tensors that have several elements."""
        given = super().values()
        return [name for name, value in self.sample.items() if self._is_index(name, value, given)]

    @staticmethod
    def _is_index(name, value, given):
        drawn = getattr(value, "domain", None) == "below"
        if not (drawn or name.startswith("ind")) or isinstance(given[name], list):
            return False
        found = tensors(ow, {name: given[name]})
        return sum(t.numel() for t in found) > 1 and found[0].dtype == ow.int64


# Of several numbers that are written to one place PyTorch leaves open which stays, and each has the gradient.
_LEFT_OPEN = {"put", "put_"}


def _is_open(case):
    return case.operator.full_name in _LEFT_OPEN and not case.sample.get("accumulate")


SAME = [case for c in CASES if (case := Same(c.operator, c.sample)).indices and not _is_open(c)]


@pytest.mark.parametrize(
    "case",
    [parameter(c, (), "duplicates") for c in SAME if c.is_differentiable and c.is_finite],
)
def test_gradient(case):
    function, inputs = case.as_function()
    assert gradcheck(function, [x.requires_grad_() for x in inputs])


def test_there_are_operators_with_indices():
    assert len({c.operator.full_name for c in SAME}) > 10
