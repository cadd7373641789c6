"""Bags of words, packed and padded sequences, cells: what is in no bag or batch is refused, and nothing is
broadcast that nobody asked for. PyTorch's answers, but where PyTorch reads what is not there."""

import re

import opweave as ow
import pytest
from opweave import nn
from opweave.nn.utils.rnn import (
    PackedSequence,
    invert_permutation,
    pack_padded_sequence,
    pack_sequence,
    pad_packed_sequence,
    pad_sequence,
    unpad_sequence,
)

F = nn.functional
WORDS = ow.tensor([0, 1, 1, 0, 1, 4])
VECTORS = ow.arange(12.0).reshape(6, 2)


def bag(offsets, mode="sum", **options):
    return F.embedding_bag(WORDS, VECTORS, ow.tensor(offsets), mode=mode, **options)


# --- bags -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("sum", [[2.0, 4.0], [2.0, 4.0]]),
        ("mean", [[1.0, 2.0], [1.0, 2.0]]),
        ("max", [[2.0, 3.0], [2.0, 3.0]]),
    ],
)
def test_the_last_offset_ends_the_last_bag(mode, expected):
    assert bag([0, 2, 4], mode, include_last_offset=True).tolist() == expected
    layer = nn.EmbeddingBag.from_pretrained(VECTORS, mode=mode, include_last_offset=True)
    assert layer(WORDS, ow.tensor([0, 2, 4])).tolist() == expected


def test_factors_and_gradients_end_with_the_last_bag():
    vectors, factors = VECTORS.clone().requires_grad_(), ow.ones(6, requires_grad=True)
    found = F.embedding_bag(
        WORDS,
        vectors,
        ow.tensor([0, 2, 4]),
        mode="sum",
        per_sample_weights=factors,
        include_last_offset=True,
    )
    found.sum().backward()
    assert factors.grad.tolist() == [1, 5, 5, 1, 0, 0]
    assert vectors.grad[4].tolist() == [0, 0]


def test_bags_without_words_and_words_without_bags():
    assert bag([0, 0, 2], include_last_offset=True).tolist() == [[0, 0], [2, 4]]
    assert bag([0], include_last_offset=True).shape == (0, 2)
    for mode in ("sum", "mean", "max"):
        assert F.embedding_bag(WORDS, VECTORS, WORDS[:0], mode=mode).shape == (0, 2)


@pytest.mark.parametrize(
    ("offsets", "options", "said"),
    [
        ([0, 4, 2], {}, "offsets must not fall, but offsets[2] is 2 after 4"),
        ([0, -2, 6], {}, "offsets must not fall, but offsets[1] is -2 after 0"),
        ([0, 7], {}, "can not be greater than input's length(6) but got offsets[-1] of 7"),
        ([1, 2], {}, "However, got 1"),
        ([0.0, 2.0], {}, "expected offsets of integers, but got float32"),
        ([False, True], {}, "expected offsets of integers, but got bool"),
        ([0, 2], {"padding_idx": 6}, "-6 through 5, but got 6"),
        (
            [0, 2],
            {"per_sample_weights": ow.ones(6, dtype=ow.float64)},
            "expected per_sample_weights of the weight's dtype, float32, but got float64",
        ),
    ],
)
def test_refused_bags(offsets, options, said):
    with pytest.raises(RuntimeError, match=re.escape(said)):
        bag(offsets, **options)


def test_bags_need_an_end_and_rows_of_vectors():
    with pytest.raises(RuntimeError, match="number of offset should be at least 1"):
        F.embedding_bag(WORDS, VECTORS, WORDS[:0], include_last_offset=True)
    with pytest.raises(
        ValueError, match="weight has to be a 2D Tensor, but got Tensor of dimension 1"
    ):
        F.embedding_bag(WORDS, VECTORS[:, 0], WORDS[:1])


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_vectors_of_words_that_do_not_count_are_shortened_too(mode):
    given = [[3.0, 4.0], [0.1, 0.2], [6.0, 8.0]]
    weight = ow.tensor(given)
    words = ow.tensor([0, 1, 2, 2])
    F.embedding_bag(words, weight, ow.tensor([0, 2]), max_norm=1.0, mode=mode, padding_idx=0)
    expected = ow.tensor([[0.6, 0.8], [0.1, 0.2], [0.6, 0.8]])
    assert weight.allclose(expected, atol=1e-6)
    beyond = ow.tensor(given)
    ends = ow.tensor([0, 1])  # the words after the last bag
    F.embedding_bag(words[1:], beyond, ends, max_norm=1.0, mode=mode, include_last_offset=True)
    assert beyond[1:].allclose(expected[1:], atol=1e-6)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags_without_words_have_a_gradient_of_zeros(mode):
    weight = ow.ones(3, 2, requires_grad=True)
    empty = ow.tensor([], dtype=ow.int64)
    for words, offsets, padding in ((ow.tensor([2, 2]), [0, 0, 1], 2), (empty, [0, 0], None)):
        found = F.embedding_bag(words, weight, ow.tensor(offsets), mode=mode, padding_idx=padding)
        assert found.tolist() == [[0.0, 0.0]] * len(offsets)
        assert ow.autograd.grad(found.sum(), weight)[0].tolist() == [[0.0, 0.0]] * 3
    rows = F.embedding_bag(empty.reshape(0, 2), weight, mode=mode)
    assert rows.shape == (0, 2)
    assert rows.requires_grad


def test_the_operator_tells_of_bags_and_words():
    found = ow.embedding_bag(VECTORS, WORDS, ow.tensor([0, 2, 2]), mode=2, padding_idx=None)
    assert [t.tolist() for t in found[1:]] == [
        [0, 0, 2, 2, 2, 2],
        [2, 0, 4],
        [[1, 1], [0, 0], [4, 4]],
    ]
    vectors = VECTORS.clone().requires_grad_()
    required = [t.requires_grad for t in ow.embedding_bag(vectors, WORDS, ow.tensor([0]))]
    assert required == [True, False, False, False]


@pytest.mark.parametrize("count", [6, 4000])
def test_gradients_by_frequency_are_differentiated_again(count):
    words = ow.arange(count) % 5 % 3
    often = words.bincount(minlength=5).clamp(min=1).double()
    vectors = ow.ones(5, 2, dtype=ow.float64, requires_grad=True)
    given = ow.ones(1, 2, dtype=ow.float64, requires_grad=True)
    found = F.embedding_bag(words[None], vectors, mode="sum", scale_grad_by_freq=True)
    (grad,) = ow.autograd.grad(found, vectors, given, create_graph=True)
    there = (words.bincount(minlength=5) > 0).double()
    assert grad[:, 0].tolist() == pytest.approx(there.tolist())
    (again,) = ow.autograd.grad(grad[0].sum(), given)
    assert again.tolist() == [pytest.approx([1.0, 1.0])]
    assert often[0] > 1


def test_a_table_of_shortened_vectors_has_no_gradient():
    vectors = VECTORS.clone().requires_grad_()
    shorter = ow.embedding_renorm_(vectors * 1, WORDS, 1.0, 2.0)
    assert shorter.norm(dim=1)[1:2].tolist() == pytest.approx([1.0])
    with pytest.raises(RuntimeError, match="derivative for 'embedding_renorm_' is not implemented"):
        shorter.sum().backward()


# --- packed -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("sizes", [[3, -1, 4], [1, 2, 3], [3, 0, 3]])
def test_batch_sizes_do_not_rise(sizes):
    with pytest.raises(RuntimeError, match=re.escape(f"not negative, but got {sizes}")):
        PackedSequence(ow.ones(6, 2), ow.tensor(sizes))


@pytest.mark.parametrize("sizes", [[3, 2], [3, 3, 3], [6, 1]])
def test_batch_sizes_are_of_the_data(sizes):
    packed = PackedSequence(ow.ones(6, 2), ow.tensor(sizes))
    said = f"expected batch_sizes of the 6 elements of the data, but {sizes} are {sum(sizes)}"
    for use in (pad_packed_sequence, nn.LSTM(2, 3), nn.RNN(2, 3, bidirectional=True), nn.GRU(2, 3)):
        with pytest.raises(RuntimeError, match=re.escape(said)):
            use(packed)


def test_batch_sizes_are_a_vector_of_whole_numbers():
    with pytest.raises(TypeError, match="argument 'batch_sizes' must be Tensor, not list"):
        PackedSequence(ow.ones(2), [2])
    with pytest.raises(RuntimeError, match=r"1D tensor of integers, but got 1D, opweave\.float32"):
        PackedSequence(ow.ones(2), ow.tensor([2.0]))
    none = PackedSequence(ow.ones(0, 2), ow.tensor([], dtype=ow.int64))
    with pytest.raises(RuntimeError, match="batch_sizes can not be empty"):
        pad_packed_sequence(none)


@pytest.mark.parametrize("shape", [(3, 0, 2), (0, 2, 2)])
@pytest.mark.parametrize("is_sorted", [True, False])
def test_nothing_is_packed(shape, is_sorted):
    lengths = [1] * shape[1]
    with pytest.raises(RuntimeError, match="Cannot pack empty tensors"):
        pack_padded_sequence(ow.zeros(shape), lengths, enforce_sorted=is_sorted)


def test_what_is_packed_has_steps_and_sequences():
    with pytest.raises(RuntimeError, match="received an empty list of sequences"):
        pack_sequence([])
    with pytest.raises(RuntimeError, match=r"at least 2 dimensions, .* but got \[3\]"):
        pack_padded_sequence(ow.zeros(3), [3])
    with pytest.raises(RuntimeError, match="but got a tensor of 2 dimensions"):
        pack_padded_sequence(ow.zeros(3, 1, 2), ow.tensor([[3]]))
    with pytest.raises(RuntimeError, match="at least 2 dimensions"):
        unpad_sequence(ow.ones(3), ow.tensor([1]))
    with pytest.raises(ValueError, match="a length for each of 2 sequences, but got 3"):
        unpad_sequence(ow.ones(3, 2), ow.tensor([1, 2, 3]))
    with pytest.raises(RuntimeError, match="expected each index up to 2 once, but 2 is missing"):
        invert_permutation(ow.tensor([0, 0, 1]))
    with pytest.raises(TypeError, match="must be PackedSequence, not Tensor"):
        pad_packed_sequence(ow.ones(4, 2))


# --- padded -----------------------------------------------------------------------------------------------
def test_widths_broadcast_to_that_of_the_first():
    found = pad_sequence([ow.ones(2, 3), ow.full((3, 1), 2.0)], batch_first=True)
    assert found.tolist() == [[[1.0] * 3, [1.0] * 3, [0.0] * 3], [[2.0] * 3] * 3]
    row = pad_sequence([ow.ones(2, 3), ow.arange(3.0)])
    assert row[:, 1].tolist() == [[0.0, 1.0, 2.0]] * 3
    left = pad_sequence([ow.ones(2, 2), ow.ones(3, 1)], padding_side="left", padding_value=9)
    assert left[:, 0].tolist() == [[9, 9], [1, 1], [1, 1]]


def test_gradients_of_what_is_broadcast_are_summed():
    narrow = ow.ones(3, 1, requires_grad=True)
    pad_sequence([ow.ones(2, 4), narrow]).sum().backward()
    assert narrow.grad.tolist() == [[4.0]] * 3


def test_padded_sequences_have_the_dtype_of_the_first():
    found = pad_sequence([ow.ones(2, dtype=ow.int32), ow.full((3,), 1.5)])
    assert found.dtype is ow.int32
    assert found[:, 1].tolist() == [1, 1, 1]


def test_refused_widths():
    said = "expected element 1 of shape [3, 2] to be as wide as the first, or to broadcast to it: [3, 3]"
    with pytest.raises(RuntimeError, match=re.escape(said)):
        pad_sequence([ow.ones(2, 3), ow.ones(3, 2)])
    with pytest.raises(RuntimeError, match="but element 0 is a number"):
        pad_sequence([ow.tensor(3.0)])


# --- cells ------------------------------------------------------------------------------------------------
CELLS = {"lstm_cell": 4, "gru_cell": 3, "rnn_tanh_cell": 1, "rnn_relu_cell": 1}


def step(name, input, hidden, gates=None, width=2):
    gates = CELLS[name] if gates is None else gates
    weights = ow.zeros(gates * width, 3), ow.zeros(gates * width, width)
    hx = (ow.zeros(hidden),) * 2 if name == "lstm_cell" else ow.zeros(hidden)
    return getattr(ow, name)(ow.zeros(input), hx, *weights)


@pytest.mark.parametrize("name", CELLS)
@pytest.mark.parametrize(
    ("input", "hidden", "said"),
    [
        ((3,), (2,), "Expected 2D input (batch x feature), but got 1D input"),
        ((2, 5, 3), (5, 2), "Expected 2D input (batch x feature), but got 3D input"),
        ((5, 3), (2,), "Expected 2D hidden0 (batch x hidden_size), but got 1D tensor"),
        ((5, 3), (2, 5, 2), "Expected 2D hidden0 (batch x hidden_size), but got 3D tensor"),
        ((5, 3), (1, 2), "Input batch size 5 doesn't match hidden0 batch size 1"),
        ((1, 3), (5, 2), "Input batch size 1 doesn't match hidden0 batch size 5"),
        ((5, 3), (5, 3), "hidden0 has inconsistent hidden_size: got 3, expected 2"),
        ((5, 4), (5, 2), "input has inconsistent input_size: got 4 expected 3"),
    ],
)
def test_cells_take_batches(name, input, hidden, said):
    with pytest.raises(RuntimeError, match=re.escape(f"{name}(): {said}")):
        step(name, input, hidden)


@pytest.mark.parametrize("name", CELLS)
def test_weights_of_cells(name):
    gates = CELLS[name]
    said = f"w_ih first dim must be {gates} * hidden_size = {2 * gates}, but got {2 * gates + 2}"
    with pytest.raises(RuntimeError, match=re.escape(said)):
        step(name, (5, 3), (5, 2), gates + 1)


def test_states_of_an_lstm_are_two():
    weights = ow.zeros(8, 3), ow.zeros(8, 2)
    with pytest.raises(TypeError, match=r"argument 'hx' .* must be tuple of Tensors, not Tensor"):
        ow.lstm_cell(ow.zeros(5, 3), ow.zeros(2, 5, 2), *weights)
    with pytest.raises(RuntimeError, match="expects two hidden states, but got 1"):
        ow.lstm_cell(ow.zeros(5, 3), [ow.zeros(5, 2)], *weights)
    with pytest.raises(TypeError, match=r"GRUCell.*argument 'hidden' must be Tensor, not tuple"):
        nn.GRUCell(3, 2)(ow.zeros(5, 3), (ow.zeros(5, 2), ow.zeros(5, 2)))


@pytest.mark.parametrize("cell", [nn.LSTMCell, nn.GRUCell, nn.RNNCell])
@pytest.mark.parametrize(
    ("input", "hidden"), [((5, 3), (2,)), ((3,), (5, 2)), ((5, 3), (1, 2)), ((1, 3), (5, 2))]
)
def test_layers_of_one_step_take_batches(cell, input, hidden):
    hx = (ow.zeros(hidden),) * 2 if cell is nn.LSTMCell else ow.zeros(hidden)
    with pytest.raises(RuntimeError, match=r"Expected 2D hidden0|doesn't match hidden0 batch size"):
        cell(3, 2)(ow.zeros(input), hx)


# --- networks ---------------------------------------------------------------------------------------------
def run(name, input, hidden, count=4):
    gates = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}[name]
    shapes = (gates * 2, 3), (gates * 2, 2), (gates * 2,), (gates * 2,)
    params = [ow.zeros(s) for s in shapes[:count]]
    hx = [ow.zeros(hidden)] * 2 if name == "lstm" else ow.zeros(hidden)
    return getattr(ow, name)(ow.zeros(input), hx, params, True, 1, 0.0, False, False, False)


@pytest.mark.parametrize("name", ["lstm", "gru", "rnn_tanh", "rnn_relu"])
@pytest.mark.parametrize(
    ("input", "hidden", "count", "said"),
    [
        ((5, 3), (1, 5, 2), 4, "Expected 3D input (steps x batch x feature), but got 2D input"),
        ((3,), (1, 5, 2), 4, "Expected 3D input (steps x batch x feature), but got 1D input"),
        ((4, 5, 3), (5, 2), 4, "Expected hidden0 size (1, 5, 2), got [5, 2]"),
        ((4, 5, 3), (1, 1, 2), 4, "Expected hidden0 size (1, 5, 2), got [1, 1, 2]"),
        ((4, 5, 3), (2, 5, 2), 4, "Expected hidden0 size (1, 5, 2), got [2, 5, 2]"),
        ((0, 5, 3), (1, 5, 2), 4, "Expected at least one step, but got none"),
        ((4, 5, 3), (1, 5, 2), 3, "got 3 parameters for 1 layers, 1 directions; expected 4"),
    ],
)
def test_networks_take_sequences(name, input, hidden, count, said):
    with pytest.raises(RuntimeError, match=re.escape(f"{name}(): {said}")):
        run(name, input, hidden, count)


SHARED = (
    "tuple of Tensors params, bool has_biases, int num_layers, float dropout, bool train, "
    "bool bidirectional"
)
FORMS = (
    f"(Tensor input, {{0}} hx, {SHARED}, bool batch_first)\n * (Tensor data, Tensor batch_sizes, {{0}} hx, "
    f"{SHARED})"
)


@pytest.mark.parametrize("name", ["lstm", "gru", "rnn_tanh", "rnn_relu"])
@pytest.mark.parametrize(
    ("given", "keywords", "said"),
    [
        ((), {}, ""),
        ((-1.0,), {}, "float"),
        ((ow.ones(1), ow.ones(1)), {"train": 1}, "Tensor, Tensor, train=int"),
        ((ow.ones(1), [ow.ones(1)] * 5), {}, "Tensor, list"),
    ],
)
def test_networks_say_what_they_take(name, given, keywords, said):
    states = "tuple of Tensors" if name == "lstm" else "Tensor"
    text = f"{name}() received an invalid combination of arguments - got ({said}), but expected one of:\n * "
    with pytest.raises(TypeError, match=re.escape(text + FORMS.format(states))):
        getattr(ow, name)(*given, **keywords)


def test_networks_take_keywords():
    given = [ow.ones(4, 5, 3), ow.zeros(1, 5, 2), [ow.ones(6, 3), ow.ones(6, 2)]]
    rest = {"has_biases": False, "num_layers": 1, "dropout": 0, "train": False}
    rest |= {"bidirectional": False, "batch_first": False}
    names = dict(zip(("input", "hx", "params"), given, strict=True))
    expected = ow.gru(*given, *rest.values())
    for found in (ow.gru(**names, **rest), ow.gru(*given, **rest)):
        assert all(ow.equal(a, b) for a, b in zip(found, expected, strict=True))


# --- maxima -----------------------------------------------------------------------------------------------
def test_maxima_take_memory_of_the_words_alone():
    count = 1_000_000  # bags, all empty but for the last one: as a matrix they would be terabytes
    offsets = ow.zeros(count, dtype=ow.int64)
    words = ow.arange(count) % 7
    found = F.embedding_bag(words, ow.arange(7.0).unsqueeze(1), offsets, mode="max")
    assert found[-1].item() == 6
    assert found[:-1].abs().sum() == 0


def test_the_first_of_equal_maxima_has_the_gradient():
    nan = float("nan")
    vectors = ow.tensor([[1.0, nan, -ow.inf], [1.0, 2.0, -ow.inf], [0.0, nan, -ow.inf]])
    vectors.requires_grad_()
    found = F.embedding_bag(ow.tensor([2, 1, 0, 0]), vectors, ow.tensor([0, 3, 3]), mode="max")
    assert found[1].tolist() == [0, 0, 0]
    assert found[0, 0] == 1
    assert found[0, 1].isnan()
    assert found[0, 2] == -ow.inf
    (grad,) = ow.autograd.grad(found, vectors, ow.ones_like(found))
    # The second bag has word 0 alone.
    assert grad.tolist() == [[1, 1, 1], [1, 0, 0], [0, 1, 1]]


@pytest.mark.parametrize("offsets", [None, ow.tensor([0, 2])])
def test_vectors_in_front_of_words_as_of_old(offsets):
    words, vectors = ow.tensor([0, 1, 2, 0]), ow.arange(6.0).view(3, 2)
    words = words.view(2, 2) if offsets is None else words
    with pytest.warns(
        UserWarning, match="Argument order of nn.functional.embedding_bag was changed"
    ):
        found = F.embedding_bag(vectors, words, offsets, mode="sum")
    assert found.equal(F.embedding_bag(words, vectors, offsets, mode="sum"))
    with pytest.raises(RuntimeError, match="expected a weight of floating point numbers"):
        F.embedding_bag(vectors, words.view(2, 2).int())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"per_sample_weights": 3}, "'per_sample_weights' must be Tensor, not int"),
        ({"padding_idx": "a"}, r"'padding_idx' .* must be int, not str"),
        ({"padding_idx": 1.0}, r"'padding_idx' .* must be int, not float"),
        ({"max_norm": "a"}, r"'max_norm' .* must be float, not str"),
        ({"max_norm": 1.0, "norm_type": "a"}, r"'norm_type' .* must be float, not str"),
    ],
)
def test_bags_are_asked_for_in_numbers(options, message):
    with pytest.raises(TypeError, match=message):
        F.embedding_bag(ow.tensor([[0, 1]]), ow.ones(3, 2), **options)


@pytest.mark.parametrize("layer", [nn.Embedding, nn.EmbeddingBag])
@pytest.mark.parametrize("size", [[], 3.0, "3", None])
def test_tables_of_sizes_that_are_no_ints(layer, size):
    with pytest.raises(TypeError, match="argument 'num_embeddings' must be int, not"):
        layer(size, 3)
    with pytest.raises(TypeError, match="argument 'embedding_dim' must be int, not"):
        layer(3, size)
    with pytest.raises(TypeError, match="argument 'padding_idx' must be int, not str"):
        layer(3, 3, padding_idx="a")
    assert layer(ow.tensor(3), 2).weight.shape == (3, 2)


def _as_many_words(like):
    """(words, offsets) of 40 bags, of one size or of any."""
    generator = ow.Generator().manual_seed(5)
    sizes = ow.full((40,), 70) if like else ow.randint(0, 140, (40,), generator=generator)
    words = ow.randint(0, 30, (int(sizes.sum()),), generator=generator)
    return words, sizes.cumsum(0) - sizes


@pytest.mark.parametrize("like", [True, False])
@pytest.mark.parametrize("mode", ["sum", "mean"])
@pytest.mark.parametrize("padding_idx", [None, 3])
def test_many_words_are_read_where_they_lie(like, mode, padding_idx):
    words, offsets = _as_many_words(like)
    weight = ow.randn(30, 5, dtype=ow.float64, requires_grad=True)
    factors = ow.randn(words.numel(), dtype=ow.float64, requires_grad=mode == "sum")
    given = {"per_sample_weights": factors} if mode == "sum" else {}
    found = F.embedding_bag(words, weight, offsets, mode=mode, padding_idx=padding_idx, **given)
    counts = words != (-1 if padding_idx is None else padding_idx)
    expected = []
    for begin, end in zip(offsets.tolist(), [*offsets.tolist()[1:], words.numel()]):
        chosen = counts[begin:end].double()
        if mode == "sum":
            chosen = chosen * factors[begin:end]
        total = (weight[words[begin:end]] * chosen.unsqueeze(1)).sum(0)
        expected.append(total if mode == "sum" else total / chosen.sum().clamp(min=1))
    expected = ow.stack(expected)
    assert ow.allclose(found, expected)
    inputs = (weight, factors) if mode == "sum" else (weight,)
    for one, other in zip(
        ow.autograd.grad((found**2).sum(), inputs), ow.autograd.grad((expected**2).sum(), inputs)
    ):
        assert ow.allclose(one, other)


def test_many_words_of_which_one_is_none():
    words, offsets = _as_many_words(True)
    for word in (30, -1):
        words[1234] = word
        with pytest.raises(IndexError, match=rf"^index out of range in self: {word} of 30 rows$"):
            F.embedding_bag(words, ow.ones(30, 5), offsets, mode="sum")
