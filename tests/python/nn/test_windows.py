"""Windows of images as columns, and pixels and channels in other places."""

import opweave as ow
import opweave.nn.functional as F
import pytest


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"stride": 0}, "stride should be greater than zero, but got stride_height: 0 "),
        ({"dilation": 0}, "dilation should be greater than zero, but got dilation_height: 0 "),
        ({"padding": -1}, "padding should be non-negative, but got pad_height: -1 "),
        ({"stride": 2**40}, "integer out of range"),
        ({"dilation": 9}, "but its components must be at least one|sliding blocks -"),
    ],
)
def test_windows_that_cannot_be(given, message):
    with pytest.raises(RuntimeError, match=message):
        F.unfold(ow.ones(1, 2, 4, 5), 2, **given)
    with pytest.raises(RuntimeError, match=message):
        F.fold(ow.ones(1, 8, 12), (4, 5), 2, **given)


def test_kernels_of_three_numbers():
    with pytest.raises(RuntimeError, match="'kernel_size' must have 1 or 2 elements"):
        F.unfold(ow.ones(1, 2, 4, 5), (2, 2, 2))


@pytest.mark.parametrize("name", ["pixel_shuffle", "pixel_unshuffle", "channel_shuffle"])
def test_pixels_of_what_is_no_tensor(name):
    with pytest.raises(TypeError, match=r"argument 'input' .* must be Tensor, not int"):
        getattr(F, name)(1, 2)


def test_factors_that_are_too_large():
    with pytest.raises(ValueError, match="upscale factor is too large"):
        F.pixel_shuffle(ow.ones(4, 2, 2), 2**40)


def test_weights_that_are_no_tensors():
    with pytest.raises(TypeError, match=r"argument 'weight' .* must be Tensor, not int"):
        F.prelu(ow.ones(2), 1)


def test_columns_of_padded_images_and_back():
    x = ow.arange(24.0).view(1, 2, 3, 4)
    options = {"dilation": (2, 1), "padding": (1, 2), "stride": (1, 2)}
    columns = F.unfold(x, 2, **options)
    assert columns.shape == (1, 8, 12)
    counts = F.fold(F.unfold(ow.ones(1, 2, 3, 4), 2, **options), (3, 4), 2, **options)
    assert F.fold(columns, (3, 4), 2, **options).equal(x * counts)
