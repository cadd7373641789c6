"""Lists whose length the schema gives (`int[2]`, `bool[3]`) are of that length, or of one element for all:
by whatever way an operator is called."""

import re

import calls
import opweave as ow
import pytest
from broken import overload
from operators import OPERATORS

_NAMES_DIMS = ("dim", "dims_or_all", "order", "new_dim")


def _fixed(record):
    """The length of the list; 0 for what is none, or has as many elements as there are dimensions."""
    found = re.match(r"(?:int|float)\[(\d+)\]", record["type"])
    return int(found.group(1)) if found else 0


def _cases():
    for operator in OPERATORS:
        records = overload(operator).arguments
        if any("[" in r["type"] and r["role"] in _NAMES_DIMS for r in records):
            continue
        for record in records:
            if _fixed(record) and operator.samples:
                yield pytest.param(operator, record, id=f"{operator.full_name}-{record['name']}")


def _wrong(record):
    length = _fixed(record)
    wrong = [[1] * (length + 1), [1] * 70]
    if length > 2:
        wrong.append([1] * (length - 1))
    return wrong if record["has_default"] and record["default"] == [] else [[], *wrong]


def _refused(record, wrong, call, *args, **kwargs):
    with pytest.raises(RuntimeError) as error:
        call(*args, **kwargs)
    assert f"argument '{record['name']}' must " in str(error.value)
    assert str(error.value).endswith(f", but got {wrong}")


@pytest.mark.parametrize(("operator", "record"), list(_cases()))
def test_lists_of_another_length_are_refused(operator, record):
    values = calls.arguments(ow, operator.samples[0], "float32")
    for wrong in _wrong(record):
        values[record["name"]] = wrong
        positional, keywords = calls.split(operator, values)
        _refused(record, wrong, overload(operator), *positional, **keywords)
        _refused(record, wrong, calls.call, ow, operator, values)


@pytest.mark.parametrize(("operator", "record"), list(_cases()))
def test_one_number_stands_for_all(operator, record):
    for sample in operator.samples:
        value = sample.get(record["name"])
        if isinstance(value, int) or (isinstance(value, list) and len(set(value)) == 1):
            number = value if isinstance(value, int) else value[0]
            results = [
                calls.results(
                    ow, calls.call(ow, operator, calls.arguments(ow, {**sample, record["name"]: v}))
                )
                for v in (number, [number], [number] * _fixed(record))
                if not (record["name"] == "output_size" and v == [number])  # PyTorch wants both
            ]
            for other in results[1:]:
                assert all(ow.equal(a, b) for a, b in zip(results[0], other, strict=True))


def test_masks_of_gradients_have_their_length():
    grad, x, w = ow.ones(2, 2), ow.ones(2, 3), ow.ones(2, 3)
    for mask in ([], [True], [True] * 2, [True] * 70):
        with pytest.raises(TypeError) as error:
            ow.ops.linear_backward(grad, x, w, mask)
        assert f"argument 'output_mask' must be a tuple of 3 bools, but has {len(mask)}" in str(
            error.value
        )


def test_messages():
    x = ow.ones(1, 1, 8)
    with pytest.raises(
        RuntimeError,
        match=r"^avg_pool1d\(\): argument 'padding' must have 1 element, but got \[\]$",
    ):
        ow.nn.functional.avg_pool1d(x, 2, padding=[])
    text = r"^avg_pool2d\(\): argument 'stride' must be empty or have 1 or 2 elements, but got \[1, 2, 3\]$"
    with pytest.raises(RuntimeError, match=text):
        ow.nn.functional.avg_pool2d(x, 2, [1, 2, 3])
