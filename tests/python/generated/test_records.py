"""No answer of PyTorch's records is passed over: each is given here as well, or is listed with the reason."""

import json
from pathlib import Path

import calls
import opweave as ow
import pytest
import reference
from cases import CASES
from exceptions import EXCEPTIONS, WITHOUT_GRADIENT
from reference.edges import Edges
from reference.outs import Outs
from reference.strides import Strides

DATA = Path(reference.__file__).parent / "data"
ANSWERS = {
    "edges": lambda *call: Edges(*call).outcomes(lambda: ow.manual_seed(7)),
    "outs": lambda *call: Outs(*call).answers(),
    "strides": lambda *call: Strides(*call).answers(),
}


def _names(text):
    return frozenset(text.split())


# The functions of PyTorch that the record calls have 'none' as default of `reduction`, not the mean as
# the schema and nn.functional have; a mean is a number, without strides, and cannot be expanded.
MEANS = _names("""
    binary_cross_entropy huber_loss mse_loss multi_margin_loss multilabel_margin_loss nll_loss smooth_l1_loss
    soft_margin_loss
""")
MEANS_WITHOUT_OUT = _names("""
    cross_entropy_loss l1_loss nll_loss2d nll_loss_nd
""")
# PyTorch looks at the dtype of a product only if it has elements, and at that of reduced slices only if they
# are numbers.
UNASKED = _names("index_reduce mm")

UNGIVEN = {"edges": MEANS, "outs": UNASKED, "strides": MEANS | MEANS_WITHOUT_OUT}


def ungiven(record):
    """Operator -> the recorded answers that its calls do not give here."""
    recorded = json.loads((DATA / f"{record}.json").read_text())
    found = {}
    for case in CASES:
        if case.key in recorded:
            given = ANSWERS[record](ow, calls, case.operator, case.sample, case.run)
            if lost := recorded[case.key].keys() - given.keys():
                found.setdefault(case.operator.full_name, []).append((case.key, sorted(lost)))
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("record", ANSWERS)
def test_every_recorded_answer_is_given(record):
    found = ungiven(record)
    wrong = [f"{key}: {lost}" for n in found.keys() - UNGIVEN[record] for key, lost in found[n]]
    assert not wrong, "\n".join(wrong)
    assert UNGIVEN[record] <= found.keys(), "an exception that is not needed"


def test_every_expected_failure_is_of_a_call_that_there_is():
    known = {case.key for case in CASES} | {case.operator.full_name for case in CASES}
    assert sorted({name for name, _ in EXCEPTIONS} - known) == []
    arguments = {(case.operator.full_name, n) for case in CASES for n in case.real}
    assert sorted(WITHOUT_GRADIENT.keys() - arguments) == []
