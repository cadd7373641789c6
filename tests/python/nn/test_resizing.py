"""interpolate: what is read and written is there; images lie as they did; few bits are rounded once."""

import re

import opweave as ow
import pytest

F = ow.nn.functional


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "bilinear", "bicubic"])
@pytest.mark.parametrize(
    ("images", "options", "said"),
    [
        ((1, 1, 4, 4), {"size": 0}, "input (H: 4, W: 4) output (H: 0, W: 0)"),
        ((1, 1, 4, 4), {"size": (3, 0)}, "input (H: 4, W: 4) output (H: 3, W: 0)"),
        ((1, 1, 4, 4), {"size": -1}, "input (H: 4, W: 4) output (H: -1, W: -1)"),
        ((1, 1, 4, 4), {"scale_factor": 0.1}, "output (H: 0, W: 0)"),
        ((1, 1, 4, 4), {"scale_factor": -1.0}, "output (H: -4, W: -4)"),
        ((1, 1, 0, 4), {"size": 3}, "input (H: 0, W: 4) output (H: 3, W: 3)"),
        (
            (1, 0, 4, 4),
            {"size": 3},
            "Non-empty 4D data tensor expected but got a tensor with sizes",
        ),
        ((1, 1, 4, 4), {"scale_factor": float("inf")}, "without overflow"),
        ((1, 1, 4, 4), {"scale_factor": float("nan")}, "without overflow"),
    ],
)
def test_sizes_of_nothing_are_refused(mode, images, options, said):
    with pytest.raises(RuntimeError, match=re.escape(said)):
        F.interpolate(ow.zeros(images), mode=mode, **options)


def test_sizes_are_whole():
    with pytest.raises(TypeError, match=r"expected size to be ints, but got \[3.5, 3.5\]"):
        F.interpolate(ow.zeros(1, 1, 4, 4), 3.5)
    with pytest.raises(TypeError, match="expected scale_factor to be numbers, but got str"):
        F.interpolate(ow.zeros(1, 1, 4, 4), scale_factor="2")


def test_no_examples_are_taken():
    assert F.interpolate(ow.zeros(0, 1, 4, 4), 3).shape == (0, 1, 3, 3)
    assert F.interpolate(ow.zeros(1, 1, 4, 4), 0, mode="area").shape == (1, 1, 0, 0)


SHAPES = {"linear": (2, 3, 17), "trilinear": (2, 3, 5, 6, 7)}


def ulps(found, expected, bits):
    """By how much of the last bit results of few bits are off. What little is left of sums is as exact as
    float32's are."""
    last = 2.0 ** (expected.abs().clamp(min=2.0**-11).log2().floor() - bits)
    return float(((found.double() - expected).abs() / last).max())


@pytest.mark.parametrize("mode", ["linear", "bilinear", "bicubic", "trilinear"])
@pytest.mark.parametrize(("dtype", "bits"), [(ow.float16, 10), (ow.bfloat16, 7)])
@pytest.mark.parametrize("size", [4, 23])
def test_few_bits_are_rounded_once(mode, dtype, bits, size):
    ow.manual_seed(1)
    images = ow.randn(SHAPES.get(mode, (2, 3, 11, 13))).to(dtype)
    expected = F.interpolate(images.double(), size, mode=mode)
    assert ulps(F.interpolate(images, size, mode=mode), expected, bits) < 0.6
    if images.dim() == 4:
        last = images.contiguous(memory_format=ow.channels_last)
        found = F.interpolate(last, size, mode=mode)
        assert found.is_contiguous(memory_format=ow.channels_last)
        assert ulps(found, expected, bits) < 0.6


@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic"])
def test_gradients_of_images_that_lie_otherwise(mode):
    ow.manual_seed(1)
    images = ow.randn(2, 3, 4, 5, dtype=ow.float64)
    grads = []
    for form in (ow.contiguous_format, ow.channels_last):
        x = images.clone().contiguous(memory_format=form).requires_grad_()
        F.interpolate(x, (7, 3), mode=mode).square().sum().backward()
        grads.append(x.grad)
    ow.testing.assert_close(grads[0], grads[1])


SPATIAL = {"linear": 1, "bilinear": 2, "nearest": 2, "trilinear": 3}


@pytest.mark.parametrize("mode", SPATIAL)
@pytest.mark.parametrize("options", [{"scale_factor": 1.1}, {"size": 5}, {"scale_factor": 1.0}])
@pytest.mark.parametrize("dtype", [ow.float32, ow.bfloat16])
def test_a_size_that_stays_is_copied(mode, options, dtype):
    images = ow.arange(5 ** SPATIAL[mode]).to(dtype).reshape(1, 1, *(5,) * SPATIAL[mode])
    images.view(-1)[2] = float("inf")  # and no NaN beside it
    for x in (images, images.movedim(1, -1).contiguous().movedim(-1, 1)):
        found = F.interpolate(x, mode=mode, **options)
        assert found.tolist() == x.tolist()
        found.zero_()
        assert x.view(-1)[1] == 1


def test_a_dimension_that_stays_beside_others():
    images = ow.tensor([[[[0.0, 4.0], [8.0, 16.0]]]])
    found = F.interpolate(images, scale_factor=(1.2, 1.5), mode="bilinear")
    wide = F.interpolate(images, size=(2, 3), mode="bilinear")
    assert found.shape == wide.shape
    assert found[0, 0, :, 0].tolist() == images[0, 0, :, 0].tolist()


def test_bytes_of_a_size_that_stays():
    images = ow.arange(75, dtype=ow.uint8).reshape(1, 3, 5, 5)
    for mode in ("bilinear", "bicubic"):
        assert F.interpolate(images, scale_factor=1.1, mode=mode).tolist() == images.tolist()


def test_images_of_twice_the_size_repeat_elements():
    images = ow.arange(25.0).reshape(1, 1, 5, 5)
    expected = images.repeat_interleave(2, 2).repeat_interleave(2, 3)
    assert F.interpolate(images, scale_factor=2.1).tolist() == expected.tolist()
    line = ow.arange(5.0).reshape(1, 1, 5)  # lines and volumes are read at places of the factor
    assert F.interpolate(line, scale_factor=2.1)[0, 0, -1] == 4
    assert F.interpolate(line, scale_factor=1.1)[0, 0].tolist() == [0, 0, 1, 2, 3]
