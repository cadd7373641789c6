"""Arguments of layers, in the words of older programs too, and those that PyTorch does not take."""

import inspect

import opweave as ow
import pytest
from opweave import nn

RECURRENT = [nn.RNN, nn.GRU, nn.LSTM]


@pytest.mark.parametrize("layer", RECURRENT)
@pytest.mark.parametrize("name", ["bias", "batch_first"])
@pytest.mark.parametrize("value", [1, 0, "True", None])
def test_flags_of_recurrent_layers_are_bool(layer, name, value):
    with pytest.raises(
        TypeError, match=f"^{name} should be of type bool, got: {type(value).__name__}$"
    ):
        layer(3, 5, **{name: value})


@pytest.mark.parametrize("layer", RECURRENT)
def test_sizes_of_recurrent_layers(layer):
    with pytest.raises(TypeError, match=r"^input_size should be of type int, got: float$"):
        layer(3.0, 5)
    with pytest.raises(TypeError, match=r"^hidden_size should be of type int, got: str$"):
        layer(3, "5")
    for sizes, name in (((0, 5), "input_size"), ((-1, 5), "input_size"), ((3, 0), "hidden_size")):
        with pytest.raises(ValueError, match=f"^{name} must be greater than zero$"):
            layer(*sizes)


def test_the_weights_of_recurrent_layers_have_names_in_order():
    layer = nn.LSTM(2, 3, bidirectional=True, bias=False)
    assert layer._flat_weights_names == [name for name, _ in layer.named_parameters()]


@pytest.mark.parametrize("layer", [nn.Softmax, nn.LogSoftmax])
@pytest.mark.parametrize("dim", [1.0, True, "0"])
def test_dimensions_are_int(layer, dim):
    with pytest.raises(
        TypeError, match=f"^{layer.__name__}: dim must be an int or None, got {type(dim)}$"
    ):
        layer(dim)


def test_delta_is_a_number():
    with pytest.raises(TypeError, match="delta must be a float or int, got: <class 'complex'>"):
        nn.HuberLoss(delta=1 + 0j)


def test_older_names_of_hardtanh():
    with pytest.warns(FutureWarning, match="`min_value` is deprecated and renamed to `min_val`"):
        layer = nn.Hardtanh(min_value=-2)
    assert (layer.min_val, layer.max_val) == (-2, 1.0)
    with pytest.warns(FutureWarning, match="`max_value` is deprecated and renamed to `max_val`"):
        assert nn.Hardtanh(0.0, 1.0, max_value=5)(ow.tensor(9.0)).item() == 5


def test_activations_tell_their_arguments():
    assert str(inspect.signature(nn.LeakyReLU)) == "(negative_slope=0.01, inplace=False)"
    assert str(inspect.signature(nn.Softmax)) == "(dim=None)"
    assert list(inspect.signature(nn.Hardtanh).parameters)[:3] == ["min_val", "max_val", "inplace"]
    assert str(inspect.signature(nn.ReLU6)) == "(inplace=False)"


@pytest.mark.parametrize("layer", [nn.ConstantPad1d, nn.ConstantPad2d, nn.ConstantPad3d])
def test_padding_with_a_constant_needs_it(layer):
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'value'"):
        layer(1)


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (5, "a tuple of ints, but found type int"),
        ((2.0, 3), "tuple of ints, but found element of type float at pos 0"),
        ([2, "x"], "tuple of ints, but found element of type str at pos 1"),
        ((("C", 2),), "tuple of ints, but found element of type tuple at pos 0"),
    ],
)
def test_sizes_of_unflatten(size, words):
    with pytest.raises(TypeError, match=f"^Unflatten: unflattened_size must be {words}$"):
        nn.Unflatten(1, size)


@pytest.mark.parametrize("size", [(9,), (9, 9, 9), (1, 2, 9, 9, 9)])
def test_output_sizes_of_a_transposed_convolution(size):
    with pytest.raises(
        ValueError,
        match=rf"for 4D input, output_size must have 2 or 4 elements \(got {len(size)}\)",
    ):
        nn.ConvTranspose2d(2, 2, 3, stride=2)(ow.ones(1, 2, 4, 4), output_size=size)


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_inputs_of_circular_padding(dims):
    layer = getattr(nn, f"CircularPad{dims}d")(1)
    for given in {1, 2, 3, 4, 5, 6} - {dims + 1, dims + 2}:
        with pytest.raises(
            ValueError,
            match=rf"^expected {dims + 1}D or {dims + 2}D input \(got {given}D input\)$",
        ):
            layer(ow.ones((2,) * given))


def test_a_variance_for_one_dimension():
    """As much as the same variance, expanded."""
    x, y = ow.arange(12.0).view(4, 3), ow.ones(4, 3)
    for sizes in ((1, 3), (4, 1), (4,)):
        var = ow.arange(1.0, 1.0 + ow.Size(sizes).numel()).view(sizes)
        whole = (var.unsqueeze(-1) if len(sizes) == 1 else var).expand(4, 3).contiguous()
        assert nn.GaussianNLLLoss()(x, y, var).item() == pytest.approx(
            nn.GaussianNLLLoss()(x, y, whole).item()
        )
    for sizes in ((1, 1), (3,), (4, 2), (1, 4, 3)):
        with pytest.raises(ValueError, match="var is of incorrect size"):
            nn.GaussianNLLLoss()(x, y, ow.ones(sizes))


def test_older_words_for_reductions():
    with pytest.warns(UserWarning, match="please use reduction='sum' instead"):
        assert nn.MSELoss(size_average=False).reduction == "sum"
    with pytest.warns(UserWarning, match="please use reduction='none' instead"):
        nn.functional.multi_margin_loss(ow.ones(2, 3), ow.tensor([0, 1]), reduce=False)


def test_a_loss_with_a_distance_shows_it():
    said = repr(nn.TripletMarginWithDistanceLoss())
    assert "(distance_function): PairwiseDistance()" in said
    x, y, z = ow.ones(2, 3), ow.zeros(2, 3), ow.full((2, 3), 3.0)
    loss = nn.TripletMarginWithDistanceLoss()(x, y, z)
    assert loss.item() == nn.TripletMarginLoss()(x, y, z).item()


def test_losses_of_tensors_that_do_not_fit():
    with pytest.raises(RuntimeError, match="anchor 2D, positive 1D, and negative 2D inputs"):
        nn.TripletMarginLoss()(ow.ones(2, 3), ow.ones(3), ow.ones(2, 3))
    with pytest.raises(RuntimeError, match=r"inconsistent target size, expected 5 but got \[3\]"):
        nn.MultiMarginLoss()(ow.ones(5, 4), ow.zeros(3, dtype=ow.int64))
    with pytest.raises(RuntimeError, match=r"inconsistent weight size, expected 3 but got \[2\]"):
        nn.MultiMarginLoss(weight=ow.ones(2))(ow.ones(2, 3), ow.tensor([0, 1]))
    with pytest.raises(RuntimeError, match=r"expected weight shape to be \(2,\), got \(3,\)"):
        nn.LinearCrossEntropyLoss(3, 2, weight=ow.ones(3))
    with pytest.raises(RuntimeError, match=r"label_smoothing to be in range \[0, 1\], got 2.0"):
        nn.LinearCrossEntropyLoss(3, 2, label_smoothing=2.0)


def test_a_loss_with_its_layer_has_the_attributes_of_pickled_ones():
    loss = nn.LinearCrossEntropyLoss(3, 2)
    own = {name for name in vars(loss) if not name.startswith("_")} - {"training"}
    assert own == {
        "reduction",
        "num_classes",
        "out_features",
        "ignore_index",
        "label_smoothing",
        "options",
    }
    assert repr(loss).startswith("LinearCrossEntropyLoss(\n  in_features=3, num_classes=2, ")


def test_other_channels_than_an_instance_norm_was_told_of():
    layer = nn.InstanceNorm1d(2)
    with pytest.warns(
        UserWarning, match=r"size at dim=1 does not match num_features \(2\), but is 3"
    ):
        assert layer(ow.rand(1, 3, 4)).shape == (1, 3, 4)
    with pytest.raises(ValueError, match=r"dim=0 to match num_features \(2\), but got: 3"):
        nn.InstanceNorm1d(2, affine=True)(ow.rand(3, 4))


def test_bags_of_the_largest_are_not_scaled():
    with pytest.raises(ValueError, match="max mode does not support scaling the gradient"):
        nn.EmbeddingBag(4, 2, mode="max", scale_grad_by_freq=True)(ow.tensor([[0, 1]]))


def test_lists_of_parameters_are_not_called():
    with pytest.raises(RuntimeError, match=r"^ParameterList should not be called\.$"):
        nn.ParameterList()(3)


@pytest.mark.parametrize("cell", [nn.RNNCell, nn.GRUCell])
def test_states_of_cells_by_number(cell):
    with pytest.raises(
        RuntimeError, match="hidden0 has inconsistent hidden_size: got 6, expected 5"
    ):
        cell(3, 5)(ow.ones(2, 3), ow.ones(2, 6))
    with pytest.raises(
        RuntimeError, match="hidden1 has inconsistent hidden_size: got 6, expected 5"
    ):
        nn.LSTMCell(3, 5)(ow.ones(2, 3), (ow.ones(2, 5), ow.ones(2, 6)))


def test_the_names_of_all_layers():
    scope = {}
    exec("from opweave.nn.modules import *", scope)
    assert scope["Linear"] is nn.Linear
    assert len(nn.modules.__all__) > 150


@pytest.mark.parametrize(
    "name",
    [
        "SiLU",
        "Mish",
        "ELU",
        "CELU",
        "SELU",
        "LeakyReLU",
        "Hardswish",
        "ReLU",
        "ReLU6",
        "Hardsigmoid",
        "Hardtanh",
    ],
)
def test_flags_that_are_true_in_other_words(name):
    x = ow.tensor([-1.0, 0.5, 7.0])
    layer = getattr(nn, name)
    for inplace in (1, None, "yes", []):
        given = x.clone()
        found = layer(inplace=inplace)(given)
        assert found.tolist() == layer()(x).tolist()
        assert (found.data_ptr() == given.data_ptr()) == bool(inplace)


@pytest.mark.parametrize("layer", [nn.MaxPool1d, nn.AdaptiveMaxPool1d])
def test_indices_are_wanted_in_other_words(layer):
    x = ow.arange(4.0).view(1, 1, 4)
    assert [t.tolist() for t in layer(2, return_indices=1)(x)] == [[[[1.0, 3.0]]], [[[1, 3]]]]
    assert layer(2, return_indices=None)(x).tolist() == [[[1.0, 3.0]]]


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("weights", [False, True])
def test_attention_of_no_examples(masked, weights):
    layer = nn.MultiheadAttention(4, 2, batch_first=True)
    x = ow.ones(0, 3, 4)
    mask = ow.zeros(0, 3, dtype=ow.bool) if masked else None
    out, found = layer(x, x, x, key_padding_mask=mask, need_weights=weights)
    assert out.shape == (0, 3, 4)
    assert (found.shape == (0, 3, 3)) if weights else found is None
    assert nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)(x).shape == (0, 3, 4)


@pytest.mark.parametrize("steps", [0, 3])
def test_transformers_of_no_examples_or_steps(steps):
    layer = nn.Transformer(4, 2, 1, 1, 8)
    assert layer(ow.ones(2, 0, 4), ow.ones(steps, 0, 4)).shape == (steps, 0, 4)


@pytest.mark.parametrize("layer", RECURRENT)
def test_recurrent_layers_take_steps(layer):
    for shape, first in (((0, 1, 2), False), ((1, 0, 2), True), ((0, 2), False)):
        with pytest.raises(
            RuntimeError,
            match=rf"^{layer.__name__}: Expected sequence length to be larger than 0, but got an input",
        ):
            layer(2, 3, batch_first=first)(ow.ones(shape))
    assert layer(2, 3)(ow.ones(4, 0, 2))[0].shape == (4, 0, 3)


@pytest.mark.parametrize("dropout", ["x", 1.5, -1, True])
def test_dropout_of_recurrent_layers(dropout):
    with pytest.raises(ValueError, match=f"range .* element being zeroed, but got {dropout!r}"):
        nn.LSTM(2, 3, 2, dropout=dropout)


def test_a_decoder_has_a_memory():
    layer = nn.TransformerDecoderLayer(4, 2, 8)
    for decoder in (layer, nn.TransformerDecoder(layer, 2)):
        with pytest.raises(AttributeError, match="memory: expected a Tensor, got None"):
            decoder(ow.ones(3, 2, 4), None)


@pytest.mark.parametrize(
    ("name", "sizes"),
    [("dropout2d", (3,)), ("dropout2d", (2, 3, 1, 1, 1)), ("dropout3d", (2, 3, 4))],
)
def test_dropout_of_channels_of_other_dimensions_is_deprecated(name, sizes):
    with pytest.warns(UserWarning, match=f"{name}: Received a {len(sizes)}-D input to {name}"):
        getattr(nn.functional, name)(ow.ones(sizes), 0.0)


def test_dropout_of_channels_of_lines():
    with pytest.warns(
        UserWarning, match=r"a 3D input to dropout2d, which is taken to be \(N, C, L\)"
    ):
        found = nn.Dropout2d(0.5)(ow.ones(2, 8, 3))
    assert set(found.sum(2).flatten().tolist()) == {0.0, 6.0}  # all of a channel or nothing
    with pytest.raises(
        RuntimeError, match="requires at least 2 dimensions in the input, but got 1"
    ):
        nn.FeatureAlphaDropout()(ow.ones(3))
    assert nn.FeatureAlphaDropout().eval()(ow.ones(3)).tolist() == [1, 1, 1]
    assert nn.FeatureAlphaDropout(0.0)(ow.ones(3)).tolist() == [1, 1, 1]


def test_nothing_to_initialise_is_told():
    with pytest.warns(UserWarning, match="Initializing zero-element tensors is a no-op"):
        nn.Linear(0, 3)
