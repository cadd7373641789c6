"""Sizes that are no int but have the value of one, as numpy's are."""

import opweave as ow
import opweave.nn as nn
import opweave.nn.functional as F
import pytest


class Whole:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


IMAGE = ow.arange(32.0).view(1, 2, 4, 4)
VOLUME = ow.arange(128.0).view(1, 2, 4, 4, 4)
COLUMNS = IMAGE[:, :1].reshape(1, 1, 16).expand(1, 8, 16)


@pytest.mark.parametrize(
    ("layer", "input"),
    [
        (lambda n: nn.ZeroPad1d(n(1)), IMAGE[0]),
        (lambda n: nn.ConstantPad2d(n(1), 2.0), IMAGE),
        (lambda n: nn.ReflectionPad3d(n(1)), VOLUME),
        (lambda n: nn.ReplicationPad2d(n(1)), IMAGE),
        (lambda n: nn.CircularPad2d(n(1)), IMAGE),
        (lambda n: nn.Unfold(n(2), n(1), n(1), n(2)), IMAGE),
        (lambda n: nn.Fold(n(5), n(2)), COLUMNS),
        (lambda n: nn.PixelShuffle(n(1)), IMAGE),
        (lambda n: nn.PixelUnshuffle(n(2)), IMAGE),
        (lambda n: nn.ChannelShuffle(n(2)), IMAGE),
        (lambda n: nn.LayerNorm(n(4)), IMAGE),
        (lambda n: nn.RMSNorm(n(4)), IMAGE),
        (lambda n: nn.MaxPool3d(2, n(2), 1), VOLUME),
        (lambda n: nn.AvgPool3d(n(2)), VOLUME),
        (lambda n: nn.LPPool2d(2, n(2)), IMAGE),
        (lambda n: nn.AdaptiveAvgPool2d(n(2)), IMAGE),
        (lambda n: nn.AdaptiveMaxPool2d(n(2)), IMAGE),
        (lambda n: nn.AdaptiveMaxPool3d(n(2)), VOLUME),
    ],
)
def test_sizes_with_the_value_of_an_int(layer, input):
    assert layer(Whole)(input).equal(layer(int)(input))


def test_sizes_of_drawn_windows():
    samples = ow.full((1, 2, 2), 0.25)
    expected = F.fractional_max_pool2d(IMAGE, 2, 2, _random_samples=samples)
    layer = nn.FractionalMaxPool2d(Whole(2), output_size=Whole(2), _random_samples=samples)
    assert layer(IMAGE).equal(expected)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("shape", [(3,), (2, 3, 4, 4)])
def test_dropout1d_has_two_or_three_dimensions(shape, training):
    for call in (F.dropout1d, lambda x, p, t: nn.Dropout1d(p).train(t)(x)):
        with pytest.raises(RuntimeError, match=f"dropout1d: Expected 2D or 3D.* a {len(shape)}D"):
            call(ow.ones(shape), 0.5, training)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("which", ["kernel_size", "stride", "padding"])
def test_windows_of_maxima_have_a_number_for_each_dimension(n, which):
    x, places = ow.ones(1, *[2] * n), ow.zeros(1, *[2] * n, dtype=ow.int64)
    sizes = {"kernel_size": (2,) * n, "stride": (2,) * n, "padding": (0,) * n}
    sizes[which] = (1,) * (n + 1)
    with pytest.raises(
        RuntimeError, match=rf"max_unpool{n}d\(\): argument '{which}' must .*have 1 "
    ):
        getattr(F, f"max_unpool{n}d")(x, places, **sizes)


def test_layers_derived_from_transposed_convolutions_ask_for_the_padding_behind():
    class Scaled(nn.ConvTranspose2d):
        def forward(self, input, output_size=None):
            behind = self._output_padding(
                input, output_size, self.stride, self.padding, self.kernel_size, 2, self.dilation
            )
            return F.conv_transpose2d(
                input, self.weight * 0.5, None, self.stride, self.padding, behind
            )

    layer = Scaled(1, 1, 3, stride=2)
    assert layer(ow.ones(1, 1, 4, 4), output_size=[10, 10]).shape[2:] == (10, 10)
    assert layer(ow.ones(1, 1, 4, 4)).shape[2:] == (9, 9)


def test_what_is_changed_after_construction_is_computed_with():
    """As PyTorch's layers: padding='same' goes by the weight that is there."""
    layer = nn.Conv1d(1, 1, 3, padding="same", bias=False)
    layer.weight = nn.Parameter(ow.ones(1, 1, 5))
    assert layer(ow.arange(6.0).reshape(1, 1, 6)).tolist() == [[[3, 6, 10, 15, 14, 12]]]
    layer.stride = (2,)
    with pytest.raises(
        (RuntimeError, ValueError), match="padding='same' is not supported for strided"
    ):
        layer(ow.ones(1, 1, 6))
    layer = nn.Conv2d(1, 1, 3)
    layer.padding = 1
    assert layer(ow.ones(1, 1, 4, 4)).shape == (1, 1, 4, 4)
    layer = nn.ConvTranspose2d(1, 1, 3)
    layer.padding_mode = "reflect"
    with pytest.raises(ValueError, match='Only "zeros" padding mode is supported'):
        layer(ow.ones(1, 1, 4, 4))
    layer = nn.BatchNorm1d(3, track_running_stats=False)
    layer.track_running_stats = True
    assert layer(ow.ones(2, 3)).shape == (2, 3)


@pytest.mark.parametrize("missing", ["bias_k", "bias_v"])
def test_attention_takes_both_of_its_biases(missing):
    layer = nn.MultiheadAttention(4, 2, add_bias_kv=True)
    setattr(layer, missing, None)
    x = ow.ones(3, 1, 4)
    with pytest.raises(AssertionError, match=f"is set but {missing} is None"):
        layer(x, x, x)


@pytest.mark.parametrize("size", ["x", [], 2.0, None])
def test_features_that_are_no_ints(size):
    for place, name in enumerate(("in_features", "out_features")):
        sizes = [2, 2]
        sizes[place] = size
        with pytest.raises(TypeError, match=rf"Linear\(\): argument '{name}' must be int, not"):
            nn.Linear(*sizes)
    for place, name in enumerate(("in1_features", "in2_features", "out_features")):
        sizes = [2, 2, 2]
        sizes[place] = size
        with pytest.raises(TypeError, match=rf"Bilinear\(\): argument '{name}' must be int, not"):
            nn.Bilinear(*sizes)
