"""Integrals, differences, turns and splits of samples: what they take and refuse, as PyTorch has it."""

import opweave as ow
import pytest


def test_places_of_fewer_dimensions_lie_along_the_last_ones():
    y, x = ow.arange(6.0).reshape(2, 3, 1), ow.arange(6.0).reshape(2, 3) ** 2
    found = ow.trapezoid(y, x, dim=1)
    assert found.tolist() == [[18.0, 30.0, 42.0], [72.0, 120.0, 168.0]]
    assert ow.trapz(y, x, dim=1).tolist() == found.tolist()
    assert ow.trapezoid(ow.ones(1, 2, 3), ow.ones(2, 3)).tolist() == [[0.0, 0.0]]
    rising = ow.cumulative_trapezoid(ow.ones(1, 2, 3), ow.arange(6.0).reshape(2, 3))
    assert rising.tolist() == [[[1.0, 2.0], [1.0, 2.0]]]


def test_integrals_of_no_samples():
    assert ow.cumulative_trapezoid(ow.empty(0)).shape == (0,)
    assert ow.cumulative_trapezoid(ow.empty(2, 0)).shape == (2, 0)
    assert ow.trapezoid(ow.empty(2, 0)).tolist() == [0.0, 0.0]
    assert ow.trapezoid(ow.empty(0, 2), ow.ones(5), dim=0).tolist() == [0.0, 0.0]
    with pytest.raises(IndexError, match="tensor has no dimensions"):
        ow.trapezoid(ow.tensor(2.0))


def test_integrals_of_narrow_whole_numbers():
    x = ow.arange(12).reshape(3, 4)
    assert ow.trapezoid(x.to(ow.int8) * 10).tolist() == [45.0, 165.0, 413.0]
    assert ow.trapezoid(x.to(ow.int8) * 10, dx=2).tolist() == [90.0, 330.0, 826.0]
    assert ow.trapezoid(x.to(ow.int8) * 10, x[0].to(ow.int8)).tolist() == [45.0, 37.0, -99.0]


def test_integrals_that_are_refused():
    y = ow.ones(2, 3)
    with pytest.raises(RuntimeError, match="There must be one `x` value for each sample point"):
        ow.trapezoid(y, ow.ones(2))
    with pytest.raises(NotImplementedError, match="received a bool input"):
        ow.cumulative_trapezoid(y, ow.ones(3, dtype=ow.bool))
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        ow.trapezoid(y, y, dx=1)
    with pytest.raises(TypeError, match="must be Tensor, not int"):
        ow.trapezoid(5)


def test_differences_that_nothing_is_taken_of():
    x = ow.ones(5, 4)
    assert ow.diff(x, n=0, prepend=ow.ones(5, 1)).shape == (5, 4)
    assert ow.diff(x, n=9, dim=0).shape == (0, 4)
    with pytest.raises(RuntimeError, match="to match that of input except along"):
        ow.diff(x, n=0, dim=0, prepend=ow.ones(1, 5))
    with pytest.raises(IndexError, match=r"in range of \[-2, 1\], but got 7"):
        ow.diff(x, n=0, dim=7)
    with pytest.raises(RuntimeError, match="prepend or append to be the same dimension as input"):
        x.diff(append=ow.ones(5))
    with pytest.raises(TypeError, match="must be Tensor, not list"):
        ow.diff([1])


def test_turns_of_dimensions_that_there_are_not():
    x = ow.ones(3, 4)
    for k in (0, 1, 4):
        with pytest.raises(IndexError, match="but got 5"):
            ow.rot90(x, k, (0, 5))
    with pytest.raises(RuntimeError, match="expected rotation dims to be different"):
        x.rot90(1, (0, -2))
    with pytest.raises(TypeError, match=r"argument 'k'.* must be int, not float"):
        ow.rot90(x, 1.5)


def test_splits_by_their_names_of_arguments():
    x = ow.arange(8.0).reshape(2, 4)
    assert [part.shape[1] for part in ow.hsplit(x, indices=[1])] == [1, 3]
    assert [part.shape[1] for part in x.hsplit(sections=2)] == [2, 2]
    assert [part.shape[1] for part in x.hsplit(2)] == [2, 2]
    assert [part.shape[1] for part in x.hsplit(1, 3)] == [1, 2, 1]
    with pytest.raises(RuntimeError, match="is not divisible by the split_size 3"):
        ow.hsplit(x, 3)
    with pytest.raises(TypeError, match=r"hsplit\(\) received an invalid combination"):
        ow.hsplit(x, 2.0)
    parts = ow.vsplit(x, 2)
    parts[0].zero_()
    assert x[0].tolist() == [0.0] * 4


def test_distances_of_what_is_no_tensor():
    with pytest.raises(TypeError, match=r"argument 'other'.* must be Tensor, not float"):
        ow.dist(ow.ones(3), 1.0)
    with pytest.raises(TypeError, match="must be tuple of Tensors, not Tensor"):
        ow.column_stack(ow.ones(2))


def test_slices_that_are_written():
    x = ow.ones(3, 4)
    with pytest.raises(RuntimeError, match="slice step must be positive"):
        ow.slice_scatter(x, ow.ones(3, 4), step=0)
    with pytest.raises(IndexError, match=r"in range of \[-2, 1\], but got 5"):
        ow.slice_scatter(x, ow.ones(3, 4), dim=5)
    with pytest.raises(TypeError, match=r"argument 'src'.* must be Tensor, not float"):
        ow.select_scatter(x, 1.0, 0, -1)


@pytest.mark.parametrize("dtype", [ow.float16, ow.bfloat16])
def test_norms_of_small_numbers_of_16_bits(dtype):
    x = ow.full((2, 2), 1e-6, dtype=dtype, requires_grad=True)
    found = ow.renorm(x, 2, 0, 1)
    assert found.tolist() == x.tolist()
    found.sum().backward()
    assert x.grad.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_norms_that_are_no_numbers():
    x = ow.ones(2, 2)
    with pytest.raises(RuntimeError, match="expected maxnorm to be >= 0 but got nan"):
        ow.renorm(x, 2, 0, float("nan"))
    with pytest.raises(RuntimeError, match="non-positive-norm not supported"):
        ow.renorm(x, float("nan"), 0, 1)


def test_weights_of_observations():
    x = ow.arange(12.0).reshape(3, 4)
    with pytest.raises(RuntimeError, match="weights sum to zero, can't be normalized"):
        ow.cov(x, fweights=ow.zeros(4, dtype=ow.int64))
    with pytest.raises(RuntimeError, match="fweights cannot be negative"):
        ow.cov(x, fweights=ow.tensor([1, -2, 1, 1]))
    with pytest.raises(TypeError, match=r"argument 'fweights'.* must be Tensor, not list"):
        ow.cov(x, fweights=[1, 2])
    with pytest.raises(TypeError, match=r"argument 'correction'.* must be int, not float"):
        x.cov(correction=1.5)
    with pytest.warns(UserWarning, match="degrees of freedom is <= 0"):
        assert ow.cov(x, correction=5).isinf().all()


def test_integrals_whose_places_have_more_dimensions():
    """The dimension is one of the samples, as in PyTorch."""
    y, x = ow.tensor([-3, 0, 2]), ow.arange(8.0).view(4, 2) ** 2
    assert ow.trapezoid(y, x).tolist() == [-54.0, 48.0]
    running = [[-6.0, 8.0], [-24.0, 24.0], [-54.0, 48.0]]
    assert ow.cumulative_trapezoid(y, x).tolist() == running
    assert ow.trapezoid(ow.ones(2, 1), ow.ones(1, 2, 1)).shape == (1, 0)


def test_dtype_of_ldexp():
    """A tensor without dimensions does not make another one wider."""
    double = ow.tensor(2.0, dtype=ow.float64)
    for few in (ow.float16, ow.bfloat16, ow.float32):
        assert ow.ldexp(ow.ones(2, dtype=few), double).dtype == few
        assert ow.ldexp(double, ow.ones(2, dtype=few)).dtype == few
        assert ow.ldexp(ow.ones(2, dtype=few, device="meta"), double).dtype == few
    assert ow.ldexp(ow.ones(2), ow.ones(2, dtype=ow.float64)).dtype == ow.float64
    assert ow.ldexp(ow.ones(2, dtype=ow.int32), double).dtype == ow.float64
