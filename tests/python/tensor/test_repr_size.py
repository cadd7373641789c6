"""repr of tensors of many dimensions: the time is that of the text, which is PyTorch's."""

import time

import opweave as ow


def seconds(shape):
    x = ow.zeros(shape)
    start = time.perf_counter()
    text = repr(x)
    return time.perf_counter() - start, len(text)


def test_time_goes_with_the_text():
    seconds([2] * 8)
    small, small_length = seconds([2] * 11)
    large, large_length = seconds([2] * 16)
    assert large_length == 1_114_094  # as PyTorch prints it
    assert large < 3 * small * large_length / small_length + 0.05


def test_dimensions_are_summarised_from_1000_elements_on():
    text = repr(ow.zeros([7, 7, 7, 7]))
    assert text.count("...") > 3
    assert len(text) < 20_000
    assert repr(ow.zeros([2] * 11)).count("...") == 0  # there is nothing between three and three
