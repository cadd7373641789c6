"""Which ways of attention are permitted: backends.cuda and nn.attention show one set."""

import pytest

NAMES = {
    "cudnn": "CUDNN_ATTENTION",
    "flash": "FLASH_ATTENTION",
    "mem_efficient": "EFFICIENT_ATTENTION",
    "math": "MATH",
}


@pytest.fixture(autouse=True)
def as_before(ow):
    yield
    for name in NAMES:
        getattr(ow.backends.cuda, f"enable_{name}_sdp")(True)


def permitted(ow):
    return [name for name in NAMES if getattr(ow.backends.cuda, f"{name}_sdp_enabled")()]


def named(ow, priority=False):
    return [way.name for way in ow.nn.attention._cur_sdpa_kernel_backends(priority)]


def test_all_at_first(ow):
    assert permitted(ow) == list(NAMES)
    assert named(ow) == [*NAMES.values(), "OVERRIDEABLE"]


def test_each_says_what_the_other_did(ow):
    attention, cuda = ow.nn.attention, ow.backends.cuda
    with attention.sdpa_kernel(attention.SDPBackend.FLASH_ATTENTION):
        assert permitted(ow) == ["flash"]
        cuda.enable_math_sdp(True)
        assert named(ow) == ["FLASH_ATTENTION", "MATH"]
    assert permitted(ow) == list(NAMES)
    cuda.enable_flash_sdp(False)
    assert "FLASH_ATTENTION" not in named(ow)

    @attention.sdpa_kernel([attention.SDPBackend.MATH, attention.SDPBackend.CUDNN_ATTENTION], True)
    def inside():
        return named(ow), named(ow, priority=True)

    assert inside() == (["CUDNN_ATTENTION", "MATH"], ["MATH", "CUDNN_ATTENTION"])
    assert permitted(ow) == ["cudnn", "mem_efficient", "math"]


def test_every_way_gives_the_same(ow):
    q, k = ow.randn(2, 3, 4, 8), ow.randn(2, 3, 5, 8)
    expected = ow.softmax(q @ k.transpose(-1, -2) / 8**0.5, -1) @ k
    ways = ow.nn.attention.SDPBackend
    for way in (ways.MATH, ways.FLASH_ATTENTION, ways.EFFICIENT_ATTENTION, ways.CUDNN_ATTENTION):
        with ow.nn.attention.sdpa_kernel(way):
            found = ow.nn.functional.scaled_dot_product_attention(q, k, k)
        ow.testing.assert_close(found, expected)


def test_one_has_to_be_left(ow):
    cuda, attention = ow.backends.cuda, ow.nn.attention
    with attention.sdpa_kernel(attention.SDPBackend.MATH):
        with pytest.raises(
            RuntimeError, match=r"enable_math_sdp: No viable backend .* one has to be"
        ):
            cuda.enable_math_sdp(False)
        assert permitted(ow) == ["math"]
    with (
        pytest.raises(RuntimeError, match=r"sdpa_kernel\(\): No viable backend"),
        attention.sdpa_kernel([]),
    ):
        pass
    with pytest.warns(FutureWarning), pytest.raises(RuntimeError, match="sdp_kernel: No viable"):  # noqa: SIM117
        with cuda.sdp_kernel(False, False, False, False):
            pass
    with pytest.raises(RuntimeError, match="enable_flash_sdp expects a bool, but got int"):
        cuda.enable_flash_sdp(3)
    assert permitted(ow) == list(NAMES)
