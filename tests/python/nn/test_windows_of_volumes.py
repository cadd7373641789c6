"""Windows of volumes, norms of windows, and drawn windows: sizes at their limits, and what is refused."""

import math

import opweave as ow
import opweave.nn as nn
import opweave.nn.functional as F
import pytest

VOLUME = ow.ones(1, 2, 4, 6, 5)


@pytest.mark.parametrize("pool", [F.max_pool3d, F.avg_pool3d])
@pytest.mark.parametrize("name", ["kernel_size", "stride", "padding"])
def test_two_numbers_for_three_dimensions(pool, name):
    with pytest.raises(RuntimeError, match=rf"argument '{name}' must .*have 1 or 3 elements"):
        pool(VOLUME, **{"kernel_size": 2, name: (1, 1)})


@pytest.mark.parametrize("pool", [F.max_pool3d, F.avg_pool3d])
def test_strides_of_nothing(pool):
    with pytest.raises(TypeError, match=r"argument 'stride' .*must be tuple of ints"):
        pool(VOLUME, 2, stride=[None, 2, 2])
    assert pool(VOLUME, 3, stride=[]).shape == (1, 2, 1, 2, 1)


@pytest.mark.parametrize("pool", [F.max_pool3d, F.avg_pool3d])
def test_batches_of_no_volumes(pool):
    assert pool(ow.ones(0, 2, 3, 6, 5), 3).shape == (0, 2, 1, 2, 1)
    with pytest.raises(RuntimeError, match=r"input has sizes \[0, 3, 6, 5\] with dimension 0 "):
        pool(ow.ones(0, 3, 6, 5), 3)


@pytest.mark.parametrize("layer", [nn.AdaptiveAvgPool3d, nn.AdaptiveMaxPool3d])
def test_adaptive_windows_of_volumes(layer):
    with pytest.raises(RuntimeError, match="output_size must be 3"):
        layer((1,))(VOLUME)
    assert layer(0)(VOLUME).shape == (1, 2, 0, 0, 0)
    assert layer((2, 0, 1))(VOLUME[0]).shape == (2, 2, 0, 1)
    assert layer(3)(VOLUME[:0]).shape == (0, 2, 3, 3, 3)


def test_means_of_windows_of_several_lengths():
    x = ow.arange(24.0).view(1, 1, 2, 3, 4)
    found = F.avg_pool3d(x, (2, 2, 3), stride=2, padding=(1, 1, 0), ceil_mode=True)
    assert found.shape == (1, 1, 2, 2, 2)
    assert found[0, 0, 0, 0].tolist() == [3 / 12, 5 / 8]
    without = F.avg_pool3d(x, 2, padding=1, count_include_pad=False)
    assert without[0, 0, 0, 0].tolist() == [0, 1.5, 3]


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_norms_of_infinite_powers(dims):
    pool = getattr(F, f"lp_pool{dims}d")
    x = ow.tensor([3.0, -4.0, 2.0, 1.0]).view(1, *[1] * (dims - 1), 4)
    kernel = (1,) * (dims - 1) + (2,)
    assert pool(x, math.inf, kernel).flatten().tolist() == [4, 2]
    assert pool(x, -math.inf, kernel).flatten().tolist() == [3, 1]
    with pytest.raises(ValueError, match=r"^norm_type must be a non-zero value, but got 0\b"):
        pool(x, 0, kernel)


@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
@pytest.mark.parametrize("place", [math.nan, math.inf, -math.inf])
def test_places_that_are_nowhere(mode, place):
    grid = ow.full((1, 1, 1, 1, 3), place)
    volume = ow.ones(1, 1, 2, 2, 2)
    assert F.grid_sample(volume, grid, mode=mode, align_corners=False).item() == 0


@pytest.mark.parametrize("dims", [2, 3])
def test_numbers_of_drawn_windows(dims):
    pool = getattr(F, f"fractional_max_pool{dims}d")
    x = ow.ones(1, 2, *[5] * dims)
    assert pool(x, 2, output_size=0).shape == (1, 2, *[0] * dims)
    for wrong in ((1,) * (dims + 1), (1,) * (dims - 1)):
        with pytest.raises(RuntimeError, match="output_size must either be a single number or"):
            pool(x, 2, output_size=wrong)
        with pytest.raises(RuntimeError, match="kernel_size must either be a single number or"):
            pool(x, wrong, output_size=1)
        with pytest.raises(RuntimeError, match="output_ratio must either be a single number or"):
            pool(x, 2, output_ratio=wrong)
    with pytest.raises(RuntimeError, match="kernel size should be greater than zero, but got 0x0"):
        pool(x, 0, output_size=1)
    with pytest.raises(TypeError, match=r"'kernel_size' must be tuple of ints, but got 2\.5"):
        pool(x, 2.5, output_size=1)


@pytest.mark.parametrize(
    ("lower", "upper", "message"),
    [
        (math.inf, math.inf, "rrelu: lower bound must be finite, got inf"),
        (math.nan, 1.0, "rrelu: lower bound must be finite, got nan"),
        (0.0, math.inf, "rrelu: upper bound must be finite, got inf"),
    ],
)
def test_bounds_of_slopes(lower, upper, message):
    with pytest.raises(RuntimeError, match=message):
        F.rrelu(ow.ones(2), lower, upper)


def test_slopes_of_examples():
    x = ow.full((3, 4), -1.0)
    rows = ow.func.vmap(lambda r: F.rrelu(r, training=True), randomness="different")(x)
    assert len(set(rows.flatten().tolist())) > 1
    assert ow.func.vmap(F.rrelu)(x).equal(F.rrelu(x))
    with pytest.raises(RuntimeError, match="not currently support same randomness"):
        ow.func.vmap(lambda r: F.rrelu(r, training=True), randomness="same")(x)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("adaptive_avg_pool2d", (2,)),
        ("adaptive_avg_pool3d", (2,)),
        ("adaptive_max_pool2d", (2,)),
        ("adaptive_max_pool3d", (2,)),
        ("avg_pool3d", (2,)),
        ("max_pool3d", (2,)),
        ("lp_pool1d", (2, 2)),
        ("local_response_norm", (2,)),
        ("max_unpool2d", (ow.ones(1), 2)),
        ("fractional_max_pool2d", (2, 2)),
        ("rrelu", ()),
        ("softshrink", ()),
        ("alpha_dropout", ()),
        ("feature_alpha_dropout", ()),
        ("dropout1d", ()),
        ("dropout2d", ()),
        ("dropout3d", ()),
    ],
)
def test_what_is_no_tensor(name, arguments):
    with pytest.raises(TypeError, match=rf"{name}\(\): argument 'input' .*must be Tensor, not int"):
        getattr(F, name)(1, *arguments)
