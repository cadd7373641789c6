"""Results of images and volumes whose channels lie together lie as in PyTorch
(tests/reference/channels_last.py)."""

import json
from pathlib import Path

import opweave as ow
import pytest
import reference
from reference.channels_last import CALLS, answer

RECORDED = json.loads((Path(reference.__file__).parent / "data/channels_last.json").read_text())

# Slopes that are drawn lie as what they are made from; PyTorch's are contiguous.
KEPT = (
    "F.rrelu(",
    "F.logsigmoid(",
    "F.pad(a, (1, 1, 1, 1), mode='circular')",
    "ow.stack([a, a], -1)",
)
# Made of parts, or of sums, that lie one after the other.
LOST = ("ow.roll(", "ow.einsum('nchw,nchw->nchw'", "ow.gradient(")


def differs(call):
    return answer(ow, call) != RECORDED[call]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", [c for c in RECORDED if not c.startswith(KEPT + LOST)])
def test_results_lie_as_in_pytorch(call):
    assert answer(ow, call) == RECORDED[call]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", [c for c in RECORDED if c.startswith(KEPT + LOST)])
def test_every_exception_is_needed(call):
    assert differs(call)


def test_the_record_belongs_to_the_calls():
    assert set(RECORDED) == set(filter(None, CALLS.splitlines()))
