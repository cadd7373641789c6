"""Arguments of nn.utils and of what saves a module's state that PyTorch takes in other ways, or refuses."""

import opweave as ow
import pytest
from opweave import nn
from opweave.nn.utils import rnn


def test_the_arguments_of_state_dict_without_names():
    layer, found = nn.Linear(2, 3), {}
    with pytest.warns(FutureWarning, match=r"Positional args of state_dict\(\) are deprecated"):
        assert layer.state_dict(found, "a.", True) is found
    assert list(found) == ["a.weight", "a.bias"]
    assert found["a.weight"] is layer.weight
    with pytest.warns(FutureWarning):
        assert list(layer.state_dict({}, prefix="b.")) == ["b.weight", "b.bias"]
    with pytest.warns(FutureWarning), pytest.raises(TypeError, match="at most 3 arguments, got 4"):
        layer.state_dict({}, "", False, 1)


def test_hooks_behind_state_dict_return_nothing():
    layer = nn.Linear(2, 3)
    layer.register_state_dict_post_hook(lambda *_: 3)
    with pytest.raises(
        RuntimeError, match="state_dict post-hook must return None, but one of Linear returned int"
    ):
        layer.state_dict()


def test_parameters_of_no_size_are_not_shared():
    with pytest.raises(RuntimeError, match="Can't share memory on an uninitialized parameter"):
        nn.Sequential(nn.LazyLinear(3)).share_memory()


def test_a_packed_sequence_of_one_thing():
    with pytest.raises(AssertionError, match=r"to be a list or tuple of length 2 .* Tensor"):
        rnn.PackedSequence(ow.ones(2))


def test_what_is_padded():
    with pytest.raises(RuntimeError, match="padding_side to be one of left or right, but got 'x'"):
        rnn.pad_sequence([ow.ones(2)], padding_side="x")
    with pytest.raises(TypeError, match="expected Tensor as element 1 in sequences, but got int"):
        rnn.pad_sequence([ow.ones(2), 3])


def test_sequences_without_padding_are_copies():
    padded = ow.arange(6.0).view(3, 2)
    first, second = rnn.unpad_sequence(padded, ow.tensor([3, 2]))
    first.zero_()
    assert padded.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert second.tolist() == [1, 3]
    assert first.is_contiguous()
    assert second.is_contiguous()


def test_a_vector_is_a_tensor():
    with pytest.raises(TypeError, match="vec: expected a Tensor, but got: list"):
        nn.utils.vector_to_parameters([1.0], [nn.Parameter(ow.ones(1))])


def test_the_name_of_an_orthogonal_parametrization():
    layer = nn.utils.parametrizations.orthogonal(nn.Linear(3, 3))
    assert "(0): _Orthogonal()" in repr(layer)


@pytest.mark.parametrize("given", [ow.ones(3, 3), [(1, "weight")], [("weight",)], "ab", [3]])
def test_pruning_takes_pairs_of_a_module_and_a_name(given):
    with pytest.raises(TypeError, match=r"parameters\[0\]: expected a pair of a Module and a name"):
        ow.nn.utils.prune.global_unstructured(given, ow.nn.utils.prune.L1Unstructured, amount=1)
