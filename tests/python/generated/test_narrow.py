"""Numbers beside tensors of 16 bits (tests/reference/narrow.py) are rounded where PyTorch rounds them."""

import json
from pathlib import Path

import calls
import opweave as ow
import pytest
import reference
from broken import overload
from cases import CASES
from reference.narrow import Narrow, same

ANSWERS = json.loads((Path(reference.__file__).parent / "data/narrow.json").read_text())
# A last digit: of float32 by other functions or another order, which 16 bits do not often show, or of 16 bits
# where PyTorch is made of several operators, which round each.
DIGITS = dict.fromkeys(
    (
        *(
            "addcdiv",
            "addcmul",
            "celu",
            "elu",
            "huber_loss",
            "logit",
            "pow.Scalar",
            "pow.Tensor_Scalar",
        ),
        *("smooth_l1_loss", "softplus", "xlogy.Scalar_Other", "xlogy.Scalar_Self"),
    ),
    2**-7,
)
# Made of several in PyTorch, which round bounds and differences.
BOUNDS = ("huber_loss", "isclose")


def narrow_of(case):
    def run(values):
        positional, keywords = calls.split(case.operator, values)
        return overload(case.operator)(*positional, **keywords)

    return Narrow(ow, calls, case.operator, case.sample, run)


CASE = {f"{c.operator.full_name}({narrow_of(c).key})": c for c in reversed(CASES)}
PARAMETERS = [
    (key, dtype)
    for key, by_dtype in ANSWERS.items()
    for dtype in by_dtype
    if not key.startswith(BOUNDS)
]


def differences(key, dtype):
    """(point, our answer, PyTorch's) of each that differs; alone, and among many."""
    narrow, recorded = narrow_of(CASE[key]), ANSWERS[key][dtype]
    digits = DIGITS.get(CASE[key].operator.full_name, 0)
    points = narrow.points(dtype)
    among = narrow.answers(points * 8, dtype)
    for i, (point, answer) in enumerate(zip(points, recorded, strict=True)):
        for ours in (among[i], *narrow.answers([point], dtype)):
            close = (
                answer is None or same(ours, answer) or abs(ours - answer) <= digits * abs(answer)
            )
            if not close:
                yield point, ours, answer


@pytest.mark.parametrize(("key", "dtype"), PARAMETERS)
def test_numbers_beside_16_bits(key, dtype):
    wrong = [f"at {at} it is {ours}, and {a} by PyTorch" for at, ours, a in differences(key, dtype)]
    assert not wrong, f"{narrow_of(CASE[key]).numbers}: " + "\n".join(wrong[:8])


def test_the_record_belongs_to_the_calls():
    assert set(ANSWERS) - set(CASE) == set(), "record.py narrow writes it anew"
