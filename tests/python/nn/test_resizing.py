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


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("sizes", [((24, 31), (9, 10)), ((5, 6), (11, 6)), ((16, 4), (4, 9))])
@pytest.mark.parametrize("aligned", [False, True])
def test_antialias_weighs_all_elements_that_a_new_one_covers(mode, sizes, aligned):
    """Along one dimension, as J. Turkowski, "Filters for Common Resampling Tasks" (1990) has it."""

    def weight(distance):
        d = abs(distance)
        if mode == "bilinear":
            return max(1 - d, 0.0)
        if d < 1:
            return (1.5 * d - 2.5) * d * d + 1
        return ((-0.5 * d + 2.5) * d - 4) * d + 2 if d < 2 else 0.0

    def matrix(n, out):
        step = (n - 1) / (out - 1) if aligned else n / out
        scale, reach = max(step, 1.0), 1 if mode == "bilinear" else 2
        rows = []
        for i in range(out):
            middle = (i + 0.5) * step
            reached = range(
                max(int(middle - reach * scale + 0.5), 0), min(int(middle + reach * scale + 0.5), n)
            )
            row = [weight((k + 0.5 - middle) / scale) if k in reached else 0.0 for k in range(n)]
            rows.append([w / sum(row) for w in row])
        return ow.tensor(rows, dtype=ow.float64)

    old, new = sizes
    ow.manual_seed(2)
    images = ow.randn(2, 3, *old, dtype=ow.float64)
    expected = matrix(old[0], new[0]) @ images @ matrix(old[1], new[1]).T
    found = F.interpolate(images, new, mode=mode, align_corners=aligned, antialias=True)
    ow.testing.assert_close(found, expected)


def test_antialias_of_bytes_and_of_few_bits():
    images = ow.arange(96, dtype=ow.uint8).reshape(1, 2, 6, 8)
    found = F.interpolate(images, (3, 4), mode="bilinear", antialias=True)
    wide = F.interpolate(images.double(), (3, 4), mode="bilinear", antialias=True)
    assert found.dtype is ow.uint8
    assert float((found.double() - wide).abs().max()) <= 1
    same = F.interpolate(images, (6, 8), mode="bicubic", antialias=True)
    assert same.tolist() == images.tolist()


def test_antialias_is_of_images():
    for images, mode in (((1, 1, 4, 4), "nearest"), ((1, 1, 4), "linear"), ((1, 1, 4), "bilinear")):
        with pytest.raises(ValueError, match="antialias=True is restricted to the modes bilinear"):
            F.interpolate(ow.zeros(images), 2, mode=mode, antialias=True)


def test_operators_are_refused_by_name():
    images = ow.zeros(1, 1, 4, 4)
    for call, said in (
        (lambda: ow.ops.upsample_nearest2d(images, [2]), "equals to 2, but got size 1"),
        (lambda: ow.ops.upsample_nearest2d(images[0], [2, 2]), "equals to 4, but got size 3"),
        (lambda: ow.ops.upsample_nearest2d.vec(images, None, None), "Must specify exactly one"),
        (lambda: ow.ops.upsample_nearest2d.vec(images, [2, 2], [0.5, 0.5]), "exactly one"),
        (lambda: ow.ops.upsample_nearest2d.vec(images, None, [0.5]), "2 elements, but got 1"),
    ):
        with pytest.raises(RuntimeError, match=r"upsample_nearest2d\(\): .*" + said):
            call()
    with pytest.raises(NotImplementedError, match="not implemented for 'Long'"):
        F.interpolate(images.long(), 2)


def test_factors_of_no_meaning_are_those_of_the_sizes():
    images = ow.arange(16.0).reshape(1, 1, 4, 4)
    expected = ow.ops.upsample_bilinear2d(images, [3, 3], False).tolist()
    for factor in (0.0, -2.0, float("nan")):
        assert (
            ow.ops.upsample_bilinear2d(images, [3, 3], False, factor, factor).tolist() == expected
        )


def test_rows_and_columns_are_there():
    images = ow.zeros(1, 2, 3, 1)
    for rows, columns, said in (([2], [0], "index 2 of rows"), ([0], [-1], "index -1 of columns")):
        with pytest.raises(IndexError, match=said):
            ow.ops._crossed_select(images, ow.tensor(rows), ow.tensor(columns))


@pytest.mark.parametrize("channels", [1, 3, 4, 7, 16])
@pytest.mark.parametrize("dtype", [ow.uint8, ow.bfloat16, ow.float64])
def test_the_nearest_of_images_that_lie_otherwise(channels, dtype):
    images = ow.arange(2 * channels * 20).reshape(2, channels, 4, 5).to(dtype)
    rows, columns = ow.tensor([0, 0, 1, 1, 2, 2, 3]), ow.tensor([0, 1, 3])
    expected = images.index_select(2, rows).index_select(3, columns)
    for form in (ow.contiguous_format, ow.channels_last):
        found = F.interpolate(images.contiguous(memory_format=form), (7, 3))
        assert found.tolist() == expected.tolist()
