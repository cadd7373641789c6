"""Functions that are written in Python: arguments of another kind are refused by name, as operators refuse
them, and numbers of NumPy are numbers."""

import numpy as np
import opweave as ow
import pytest

X, V, PLACES = ow.arange(6.0).view(2, 3), ow.ones(3), ow.tensor([0, 1, 2])
IMAGE, GRID = ow.ones(1, 2, 4, 4), ow.zeros(1, 2, 2, 2)

# A call whose argument of that place or name has another kind; the name; the kind.
CALLS = {
    "equal": ((V, 1.0), {}, "other", "Tensor"),
    "equal with a number first": ((1.0, V), {}, "input", "Tensor"),
    "logspace": ((0, 3, 3), {"dtype": "float32"}, "dtype", "opweave.dtype"),
    "logspace from text": (("a", 3, 3), {}, "start", "Number"),
    "logspace in parts of steps": ((0, 3, 1.5), {}, "steps", "int"),
    "range": ((0, None), {}, "end", "Number"),
    "grid_sampler": ((1.0, GRID, 0, 0, False), {}, "input", "Tensor"),
    "grid_sampler_2d": ((IMAGE, None, 0, 0, False), {}, "grid", "Tensor"),
    "grid_sampler_3d": ((1.0, GRID, 0, 0, False), {}, "input", "Tensor"),
    "grid_sampler in another mode": ((IMAGE, GRID, "x", 0, False), {}, "interpolation_mode", "int"),
    "grid_sampler with corners": ((IMAGE, GRID, 0, 0, "x"), {}, "align_corners", "bool"),
    "empty_permuted": (((5, 3, 1), (2, 0, None)), {}, "physical_layout", "tuple of ints"),
    "empty_permuted of text": (("x", (0,)), {}, "size", "tuple of ints"),
    "alpha_dropout_": ((X, "x", False), {}, "p", "float"),
    "feature_alpha_dropout": ((X, 0.5, 1), {}, "train", "bool"),
    "feature_alpha_dropout_": ((1, 0.5, True), {}, "input", "Tensor"),
    "feature_dropout_": ((1, 0.5, True), {}, "input", "Tensor"),
    "rrelu": ((X, "x"), {}, "lower", "Number"),
    "rrelu_": ((X, 0.1, 0.2, "x"), {}, "training", "bool"),
    "as_strided_scatter": ((X, V, None, (1,)), {}, "size", "tuple of ints"),
    "binary_cross_entropy_with_logits": ((1, V), {}, "input", "Tensor"),
    "binomial": ((1, V), {}, "count", "Tensor"),
    "poisson": ((1,), {}, "input", "Tensor"),
    "chain_matmul": ((X, 1), {}, "0", "Tensor"),
    "conv_tbc": ((1, X, V), {}, "input", "Tensor"),
    "embedding_renorm_": (([], PLACES, 1.0, 2.0), {}, "input", "Tensor"),
    "embedding_bag": ((X, PLACES, "x"), {}, "offsets", "Tensor"),
    "embedding_bag with last offsets": (
        (X, PLACES, PLACES[:1], False, 0, False, None, "x"),
        {},
        "include_last_offset",
        "bool",
    ),
    "frobenius_norm": ((X, "x"), {}, "dim", "tuple of ints"),
    "nuclear_norm": ((1,), {}, "input", "Tensor"),
    "norm_except_dim": (("x",), {}, "v", "Tensor"),
    "norm": ((X, "nuc", 1.5), {}, "dim", "tuple of ints"),
    "gradient": ((1.0,), {}, "input", "Tensor"),
    "nonzero": ((X,), {"as_tuple": "a"}, "as_tuple", "bool"),
    "nonzero with a number": ((X,), {"as_tuple": 0}, "as_tuple", "bool"),
    "nonzero_static": ((X,), {"size": "x"}, "size", "int"),
    "multinomial": ((V, 2, 1.0), {}, "replacement", "bool"),
    "multinomial of several": ((V, ow.ones(2)), {}, "num_samples", "int"),
    "combinations": ((V, 2, "x"), {}, "with_replacement", "bool"),
    "cdist": ((X, X, ow.ones(2)), {}, "p", "float"),
    "segment_reduce": ((V, []), {"lengths": PLACES}, "reduce", "str"),
    "segment_reduce along text": ((V, "sum"), {"lengths": PLACES, "axis": "x"}, "axis", "int"),
    "unravel_index": ((PLACES, 1.5), {}, "shape", "tuple of ints"),
    "squeeze_copy": (("x",), {}, "input", "Tensor"),
    "view_copy": ((1, (6,)), {}, "input", "Tensor"),
    "sym_sqrt": (("x",), {}, "a", "float"),
    "sym_sum": ((None,), {}, "args", "a sequence of numbers"),
    "hann_window": ((1.5,), {}, "window_length", "int"),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")
def test_an_argument_of_another_kind(name):
    arguments, options, argument, kind = CALLS[name]
    path = name.split()[0]
    function = ow.linalg.norm if path == "linalg.norm" else getattr(ow, path)
    with pytest.raises(TypeError, match="argument '?" + argument) as told:
        function(*arguments, **options)
    assert f"must be {kind}" in str(told.value) or f"expected {kind}" in str(told.value)


# Functions of several schemas show each, and what of the call does not fit it.
OVERLOADED = {
    "linalg.norm": ((X, 2, 1.5), {}, "Tensor, int, !float!"),
    "gradient along text": ((X,), {"dim": "x"}, "Tensor, !dim=str!"),
    "gradient along None": ((X,), {"dim": (None,)}, "Tensor, !dim=tuple!"),
    "gradient with text between": ((X,), {"spacing": "x"}, "Tensor, !spacing=str!"),
    "gradient with another edge": ((X,), {"edge_order": "x"}, "Tensor, !edge_order=str!"),
    "hamming_window": ((3, 1), {}, "int, !int!"),
    "kaiser_window": ((3, True, "x"), {}, "int, bool, !str!"),
}


@pytest.mark.parametrize("name", OVERLOADED)
def test_what_fits_no_schema(name):
    arguments, options, words = OVERLOADED[name]
    path = name.split()[0]
    function = ow.linalg.norm if path == "linalg.norm" else getattr(ow, path)
    with pytest.raises(TypeError, match="received an invalid combination of arguments") as told:
        function(*arguments, **options)
    assert f"({words})" in str(told.value)


def test_texts_in_the_place_of_distances():
    with pytest.raises(TypeError, match=r"gradient.*expected Tensor as element 0 .* got str"):
        ow.gradient(X, spacing=("x", "y"))


def test_what_fits_no_form_of_a_copied_view():
    with pytest.raises(
        TypeError, match=r"^squeeze_copy\(\) received an invalid .* \(Tensor, float\)"
    ):
        ow.squeeze_copy(X, 0.0)
    with pytest.raises(TypeError, match=r"^t_copy\(\) takes 1 positional argument"):
        ow.t_copy(X, 1)


def test_shapes_that_are_none():
    for shape in (None, 1.5, "ab", (1.5,)):
        with pytest.raises(
            RuntimeError, match="Input shapes should be of type ints, a tuple of ints"
        ):
            ow.broadcast_shapes((5, 1), shape)
    with pytest.raises(
        ValueError, match="'shape' cannot have zero dimensions when 'indices' is non"
    ):
        ow.unravel_index(ow.tensor([3]), (4, 0))
    assert [t.shape for t in ow.unravel_index(PLACES[:0], (4, 0))] == [(0,), (0,)]
    with pytest.raises(TypeError, match="operands must be followed by lists of ints"):
        ow.einsum(None, X)


def test_numbers_of_programs_that_are_none():
    for function in (ow.sym_max, ow.sym_min):
        for pair in (("x", 2), (1, None), (ow.tensor(1), 2)):
            with pytest.raises(AssertionError, match=r"sym_m..\(\): expected numbers, got"):
                function(*pair)


METHODS = {
    "cauchy_": (("x", 1.0), "median", "float"),
    "log_normal_": ((1.0, "x"), "std", "float"),
    "geometric_": (([],), "p", "float"),
    "map_": (("x", max), "tensor", "Tensor"),
    "map2_": ((V, "x", max), "y", "Tensor"),
    "resize": (("x",), "sizes", "tuple of ints"),
    "resize_as": (("x",), "tensor", "Tensor"),
    "fill_diagonal_": ((1.0, "x"), "wrap", "bool"),
    "set_": ((V.untyped_storage(), 0, "x"), "size", "tuple of ints"),
}


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.filterwarnings("ignore:non-inplace resize")
def test_an_argument_of_another_kind_of_a_method(name):
    arguments, argument, kind = METHODS[name]
    with pytest.raises(
        TypeError,
        match=rf"{name}\(\): argument '{argument}' (\(position \d\) )?must be {kind}, not",
    ):
        getattr(X.clone(), name)(*arguments)


F, RNN = ow.nn.functional, ow.nn.utils.rnn
OF_NETWORKS = {
    "embedding": (lambda: F.embedding(PLACES, X, "x"), "padding_idx", "int"),
    "embedding by frequency": (
        lambda: F.embedding(PLACES, X, scale_grad_by_freq="x"),
        "scale_grad_by_freq",
        "bool",
    ),
    "embedding_bag": (
        lambda: F.embedding_bag(PLACES, X, PLACES[:1], include_last_offset=1),
        "include_last_offset",
        "bool",
    ),
    "grid_sample": (
        lambda: F.grid_sample(IMAGE, GRID, align_corners="x"),
        "align_corners",
        "bool",
    ),
    "interpolate": (
        lambda: F.interpolate(IMAGE, 3, mode="bilinear", align_corners=1),
        "align_corners",
        "bool",
    ),
    "max_unpool1d": (
        lambda: F.max_unpool1d(ow.ones(1, 1, 2), ow.tensor([[[0, 2]]]), 2, "x"),
        "stride",
        "tuple of ints",
    ),
    "max_unpool2d": (
        lambda: F.max_unpool2d(IMAGE, IMAGE.long(), None),
        "kernel_size",
        "tuple of ints",
    ),
    "max_unpool3d": (
        lambda: F.max_unpool3d(IMAGE, IMAGE.long(), 2, output_size=1.5),
        "output_size",
        "tuple of ints",
    ),
    "pad_sequence": (lambda: RNN.pad_sequence([V, V], "x"), "batch_first", "bool"),
    "pack_padded_sequence": (
        lambda: RNN.pack_padded_sequence(X, [2, 2, 2], None),
        "batch_first",
        "bool",
    ),
    "unpad_sequence": (lambda: RNN.unpad_sequence(X, None), "lengths", "Tensor"),
}


@pytest.mark.parametrize("name", OF_NETWORKS)
def test_an_argument_of_another_kind_of_a_function_of_networks(name):
    call, argument, kind = OF_NETWORKS[name]
    with pytest.raises(
        TypeError, match=rf"argument '{argument}'(?: \(position \d+\))? must be {kind}, not"
    ):
        call()


def test_names_that_are_no_text():
    with pytest.raises(ValueError, match=r"expected mode to be one of .*, but got: '\[\]'"):
        F.grid_sample(IMAGE, GRID, [], align_corners=False)
    with pytest.raises(ValueError, match=r"Unsupported nonlinearity \[\]"):
        ow.nn.init.calculate_gain([])
    with pytest.raises(TypeError, match="expected size to be ints, but got"):
        F.interpolate(IMAGE, True)


def test_maxima_and_their_places_by_the_truth_of_what_is_asked():
    for pool in (F.adaptive_max_pool2d, F.adaptive_max_pool3d):
        image = IMAGE if pool is F.adaptive_max_pool2d else IMAGE.unsqueeze(0)
        assert isinstance(pool(image, 2, 1), tuple)
        assert isinstance(pool(image, 2, None), ow.Tensor)


@pytest.mark.filterwarnings("ignore:non-inplace resize", "ignore:TypedStorage")
def test_sizes_of_numpy():
    six = np.int64(6)
    assert X.new(six).shape == (6,)
    assert ow.FloatTensor(six).shape == (6,)
    assert ow.FloatStorage(six).size() == 6
    assert ow.UntypedStorage(six).nbytes() == 6
    assert X.resize(six).shape == (6,)
    assert X.resize(np.int64(3), 2).shape == X.resize((3, np.int64(2))).shape == (3, 2)
    assert ow.ones(0).set_(X.untyped_storage(), 0, six).shape == (6,)


@pytest.mark.parametrize("one", [np.int64(1), np.int32(1), np.uint8(1), ow.tensor(1)])
def test_ints_of_numpy_and_tensors(one):
    assert [g.tolist() for g in ow.gradient(X, dim=one)] == [[[1.0] * 3] * 2]
    assert [g.tolist() for g in ow.gradient(X, dim=[one])] == [[[1.0] * 3] * 2]
    assert [g.tolist() for g in ow.gradient(X, dim=0, spacing=one)] == [[[3.0] * 3] * 2]
    assert ow.gradient(X, edge_order=one)[0].shape == (2, 3)
    assert ow.broadcast_shapes((5, 1), one, (one, 2)) == (5, 2)
    assert ow.linalg.norm(X, 2, one).equal(ow.linalg.norm(X, 2, 1))
    assert ow.norm(X, 2, one).equal(ow.norm(X, 2, 1))
    if not isinstance(one, ow.Tensor):
        assert ow.unravel_index(ow.tensor([0]), one)[0].tolist() == [0]
    assert ow.tril_indices(one, one).tolist() == [[0], [0]]
    assert ow.hann_window(one).tolist() == [1.0]
    assert ow.empty_permuted((2, one), (one, 0)).shape == (2, 1)


@pytest.mark.parametrize("two", [np.float32(2), np.float64(2), np.float16(2), ow.tensor(2.0)])
def test_floats_of_numpy_and_tensors(two):
    assert [g.tolist() for g in ow.gradient(X, dim=0, spacing=two)] == [[[1.5] * 3] * 2]
    if not isinstance(two, ow.Tensor):  # which would be coordinates
        assert [g.tolist() for g in ow.gradient(X, dim=0, spacing=[two])] == [[[1.5] * 3] * 2]
    assert ow.hamming_window(3, True, two, two).equal(ow.hamming_window(3, True, 2.0, 2.0))
    assert ow.kaiser_window(3, True, two).equal(ow.kaiser_window(3, True, 2.0))
