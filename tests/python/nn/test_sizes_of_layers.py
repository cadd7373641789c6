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
