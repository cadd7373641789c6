"""How float32 operands may be rounded: every name by which programs say it reads and writes one tree.

What is expected is what PyTorch 2.15 says after the same assignments, but where it is marked.
"""

import pytest

PLACES = {
    "generic": lambda b: b,
    "cudnn": lambda b: b.cudnn,
    "conv": lambda b: b.cudnn.conv,
    "rnn": lambda b: b.cudnn.rnn,
    "matmul": lambda b: b.cuda.matmul,
    "mkldnn": lambda b: b.mkldnn,
    "mkldnn.matmul": lambda b: b.mkldnn.matmul,
    "mkldnn.conv": lambda b: b.mkldnn.conv,
    "mkldnn.rnn": lambda b: b.mkldnn.rnn,
}
FIRST = dict.fromkeys(PLACES, "none") | {"conv": "tf32", "rnn": "tf32"}


def tree(ow):
    return {name: place(ow.backends).fp32_precision for name, place in PLACES.items()}


@pytest.fixture(autouse=True)
def as_at_first(ow):
    def first():
        for name, place in PLACES.items():
            place(ow.backends).fp32_precision = FIRST[name]

    first()
    yield
    first()


def test_at_first(ow):
    assert tree(ow) == FIRST
    backends = ow.backends
    assert (backends.cuda.matmul.allow_tf32, backends.cudnn.allow_tf32) == (False, True)
    assert ow.get_float32_matmul_precision() == "highest"


@pytest.mark.parametrize(
    ("place", "precision", "changed"),
    [
        ("conv", "ieee", {"conv": "ieee"}),
        ("rnn", "none", {"rnn": "none"}),
        ("matmul", "tf32", {"matmul": "tf32"}),
        ("cudnn", "tf32", {"cudnn": "tf32", "matmul": "tf32"}),
        ("cudnn", "ieee", {"cudnn": "ieee", "matmul": "ieee"}),
        (
            "mkldnn",
            "bf16",
            dict.fromkeys(("mkldnn", "mkldnn.matmul", "mkldnn.conv", "mkldnn.rnn"), "bf16"),
        ),
        ("mkldnn.conv", "bf16", {"mkldnn.conv": "bf16"}),
        (
            "generic",
            "tf32",
            dict.fromkeys((n for n in PLACES if FIRST[n] == "none"), "tf32"),
        ),
        # No CUDA device rounds to bfloat16: what is above says nothing to it.
        (
            "generic",
            "bf16",
            dict.fromkeys(
                ("generic", "mkldnn", "mkldnn.matmul", "mkldnn.conv", "mkldnn.rnn"), "bf16"
            ),
        ),
    ],
)
def test_what_one_place_says_to_those_below(ow, place, precision, changed):
    PLACES[place](ow.backends).fp32_precision = precision
    assert tree(ow) == FIRST | changed


@pytest.mark.parametrize(
    ("word", "matmul", "host"),
    [("highest", "ieee", "ieee"), ("high", "tf32", "tf32"), ("medium", "tf32", "bf16")],
)
def test_the_word_for_products(ow, word, matmul, host):
    ow.set_float32_matmul_precision(word)
    assert tree(ow) == FIRST | {"matmul": matmul, "mkldnn.matmul": host}
    assert ow.get_float32_matmul_precision() == word
    assert ow.backends.cuda.matmul.allow_tf32 is (word != "highest")


def test_allow_tf32(ow):
    cuda, cudnn = ow.backends.cuda, ow.backends.cudnn
    cuda.matmul.allow_tf32 = True
    assert (cuda.matmul.fp32_precision, ow.get_float32_matmul_precision()) == ("tf32", "high")
    cuda.matmul.allow_tf32 = False
    assert (cuda.matmul.fp32_precision, ow.get_float32_matmul_precision()) == ("ieee", "highest")
    cudnn.allow_tf32 = False
    assert (cudnn.conv.fp32_precision, cudnn.rnn.fp32_precision) == ("none", "none")
    cudnn.conv.fp32_precision = "tf32"
    with pytest.raises(RuntimeError, match="allow_tf32 is asked of places that differ"):
        cudnn.allow_tf32  # noqa: B018
    cudnn.allow_tf32 = True
    assert (cudnn.conv.fp32_precision, cudnn.rnn.fp32_precision) == ("tf32", "tf32")


def test_within_with_and_afterwards(ow):
    backends = ow.backends
    with backends.flags("ieee"):
        assert tree(ow)["mkldnn.conv"] == "ieee"
    with backends.cudnn.flags(enabled=True, allow_tf32=False, fp32_precision="ieee"):
        assert tree(ow) == FIRST | dict.fromkeys(("cudnn", "conv", "rnn", "matmul"), "ieee")
    with backends.mkldnn.flags(fp32_precision="bf16"):
        assert tree(ow)["mkldnn.rnn"] == "bf16"
    # Each says again what it said itself, and not what it was told from above.
    backends.fp32_precision = "tf32"
    assert tree(ow)["mkldnn.rnn"] == "tf32"
    assert backends.set_flags("none") == ("tf32",)
    assert tree(ow) == FIRST


def test_what_there_is_not(ow):
    """In PyTorch a wrong precision changes nothing, and warns; here it raises, as all settings do."""
    backends = ow.backends
    with pytest.raises(
        RuntimeError, match=r"matmul\.fp32_precision expects one of ieee, tf32, none"
    ):
        backends.cuda.matmul.fp32_precision = "bf16"
    for place in (backends.cuda.matmul, backends.cudnn.conv, backends.mkldnn.rnn):
        with pytest.raises(AttributeError, match=r"Unknown attribute foo of opweave\.backends\."):
            place.foo = 3
        with pytest.raises(AttributeError, match="Unknown attribute foo"):
            place.foo  # noqa: B018
    assert tree(ow) == FIRST


@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
def test_sums_of_16_bits(ow, dtype):
    matmul, name = ow.backends.cuda.matmul, f"allow_{dtype}_reduced_precision_reduction"
    for given, first, second in (
        ((False, False), False, False),
        (False, False, True),
        ([True], True, True),
    ):
        setattr(matmul, name, given)
        assert (getattr(matmul, name), getattr(matmul, f"{name}_split_k")) == (first, second)
    for wrong in (3, (), (1,), (True, True, True)):
        with pytest.raises(TypeError, match=f"{name} expects a bool, or one or two of them"):
            setattr(matmul, name, wrong)
    with pytest.raises(RuntimeError, match="allow_splitk=False is not supported when reduced"):
        setattr(matmul, name, (True, False))
    with pytest.raises(AttributeError, match=f"cannot be assigned; assign a pair to .*{name}$"):
        setattr(matmul, f"{name}_split_k", False)
