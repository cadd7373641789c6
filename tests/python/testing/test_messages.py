"""assert_close() and make_tensor() say what PyTorch's say, word by word."""

import json
from pathlib import Path

import opweave as ow
import pytest
import reference
from reference import testing_messages

ANSWERS = json.loads((Path(reference.__file__).parent / "data/testing_messages.json").read_text())


@pytest.mark.parametrize("expression", testing_messages.COMPARISONS)
def test_what_is_said_is_what_pytorch_says(expression):
    assert testing_messages.answer(ow, expression) == ANSWERS[expression]
