"""Windows of signals: the values of PyTorch 2.15, in float64."""

import opweave as ow
import pytest
from opweave.signal import windows

# By name: symmetric windows of 5 points, and periodic ones of 4.
PYTORCH = {
    "bartlett": ([0.0, 0.5, 1, 0.5, 0.0], [0.0, 0.5, 1, 0.5]),
    "blackman": ([0.0, 0.34, 1, 0.34, 0.0], [0.0, 0.34, 1, 0.34]),
    "cosine": (
        [0.3090169943749, 0.8090169943749, 1, 0.8090169943749, 0.3090169943749],
        [0.3090169943749, 0.8090169943749, 1, 0.8090169943749],
    ),
    "exponential": (
        [0.1353352832366, 0.3678794411714, 1, 0.3678794411714, 0.1353352832366],
        [0.1353352832366, 0.3678794411714, 1, 0.3678794411714],
    ),
    "gaussian": (
        [0.1353352832366, 0.6065306597126, 1, 0.6065306597126, 0.1353352832366],
        [0.1353352832366, 0.6065306597126, 1, 0.6065306597126],
    ),
    "general_hamming": ([0.08, 0.54, 1, 0.54, 0.08], [0.08, 0.54, 1, 0.54]),
    "hamming": ([0.08, 0.54, 1, 0.54, 0.08], [0.08, 0.54, 1, 0.54]),
    "hann": ([0.0, 0.5, 1, 0.5, 0.0], [0.0, 0.5, 1, 0.5]),
    "kaiser": (
        [5.27734413201e-05, 0.215672744759, 1, 0.215672744759, 5.27734413201e-05],
        [5.27734413201e-05, 0.215672744759, 1, 0.215672744759],
    ),
    "nuttall": (
        [0.0003628, 0.2269824, 1, 0.2269824, 0.0003628],
        [0.0003628, 0.2269824, 1, 0.2269824],
    ),
}


@pytest.mark.parametrize("name", PYTORCH)
def test_values(name):
    symmetric, periodic = PYTORCH[name]
    window = getattr(windows, name)
    assert window(5, dtype=ow.float64).tolist() == pytest.approx(symmetric, rel=1e-12, abs=1e-15)
    found = window(4, sym=False, dtype=ow.float64).tolist()
    assert found == pytest.approx(periodic, rel=1e-12, abs=1e-15)
    assert window(0).shape == (0,)
    # One point of a periodic window is its begin, of others the middle.
    assert window(1).tolist() == [1.0]
    assert window(3).dtype == ow.get_default_dtype()
    assert window(3, requires_grad=True).requires_grad


def test_of_cosines():
    found = windows.general_cosine(6, a=[1, 2, 3.0], dtype=ow.float64)
    assert found.tolist() == pytest.approx(
        [2, -2.045084971875, 3.545084971875, 3.545084971875, -2.045084971875, 2], rel=1e-12
    )


def test_bad_arguments():
    for call, kind, words in (
        (lambda: windows.hann(-1), ValueError, "requires non-negative window length, got M=-1"),
        (
            lambda: windows.hann(3, dtype=ow.int64),
            ValueError,
            "expects float32 or float64 dtypes, got: ",
        ),
        (lambda: windows.hann(3, layout=ow.sparse_coo), ValueError, "strided tensors only, got: "),
        (
            lambda: windows.gaussian(3, std=0),
            ValueError,
            "Standard deviation must be positive, got: 0",
        ),
        (lambda: windows.exponential(3, tau=-1.0), ValueError, "Tau must be positive, got: -1.0"),
        (
            lambda: windows.exponential(3, center=1.0),
            ValueError,
            "None for symmetric windows, got: 1.0",
        ),
        (lambda: windows.kaiser(3, beta=-1), ValueError, "beta must be non-negative, got: -1"),
        (lambda: windows.general_cosine(3, a=2), TypeError, "must be a list/tuple, got: int"),
        (lambda: windows.general_cosine(3, a=[]), ValueError, "Coefficients cannot be empty"),
        (lambda: windows.hann(3, foo=1), TypeError, "unexpected keyword argument 'foo'"),
    ):
        with pytest.raises(kind, match=words):
            call()


@pytest.mark.parametrize("name", PYTORCH)
def test_points_are_counted(name):
    with pytest.raises(TypeError, match=r"^\w+: M: expected an int, got 2\.5$"):
        getattr(windows, name)(2.5)
