"""Functions of the top module that ask a tensor something: PyTorch's refusals of what is none."""

import pytest

NAMES = ("is_floating_point", "is_complex", "is_signed", "is_nonzero", "numel")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [3, "a", None, [1.0]])
def test_what_is_no_tensor_is_refused(ow, name, value):
    text = f"{name}(): argument 'input' (position 1) must be Tensor, not {type(value).__name__}"
    with pytest.raises(TypeError) as error:
        getattr(ow, name)(value)
    assert str(error.value) == text


def test_answers(ow):
    x = ow.ones(1, dtype=ow.int16)
    assert [getattr(ow, name)(x) for name in NAMES] == [False, False, True, True, 1]
    with pytest.raises(RuntimeError, match="ambiguous"):
        ow.is_nonzero(ow.ones(2))
