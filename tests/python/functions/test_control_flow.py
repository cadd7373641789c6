"""What programs write for a tracer, run as it stands: the answers of PyTorch 2.15."""

import opweave as ow
import pytest


def test_choices_and_loops():
    plus, minus = (lambda x: x + 1), (lambda x: x - 1)
    x = ow.ones(1, requires_grad=True)
    y = ow.cond(ow.tensor(True), plus, minus, (x,))
    assert y.item() == 2.0
    assert y.requires_grad
    assert ow.cond(False, plus, minus, (x,)).item() == 0.0
    assert ow.cond(True, lambda: 1, lambda: 2) == 1
    counted = ow.while_loop(
        lambda i, s: i < 3, lambda i, s: (i + 1, s + i), (ow.tensor(0), ow.tensor(0))
    )
    assert [t.item() for t in counted] == [3, 3]
    with pytest.raises(
        RuntimeError, match=r"Expected pred to be bool or single-element tensor, but got te"
    ):
        ow.cond(ow.tensor([True, False]), plus, minus, (x,))
    with pytest.raises(RuntimeError, match=r"body_fn: expected a tuple of 1 values, .* got 5"):
        ow.while_loop(lambda i: i < 3, lambda i: 5, (0,))


def test_arithmetic_of_sizes():
    assert (ow.sym_int(2.7), ow.sym_int(-2.7), ow.sym_float(2)) == (2, -2, 2.0)
    assert isinstance(ow.sym_max(1, 2.0), float)
    assert isinstance(ow.sym_max(3, 2.0), float)
    assert (ow.sym_min(3, 2), ow.sym_not(True), ow.sym_sqrt(4)) == (2, False, 2.0)
    assert (ow.sym_sum([1, 2, 3]), ow.sym_ite(True, 1, 2)) == (6, 1)
    assert ow.sym_constrain_range(3, min=0, max=5) is None
    with pytest.raises(RuntimeError, match=r"Invalid value range for 7 between \[0, 5\]"):
        ow.sym_constrain_range_for_size(7, min=0, max=5)
    with pytest.raises(ValueError, match="invalid literal for int"):
        ow.sym_int("a")
    for number, error in (("inf", OverflowError), ("-inf", OverflowError), ("nan", ValueError)):
        with pytest.raises(error, match=rf"sym_int\(\): expected a finite number, got {number}"):
            ow.sym_int(float(number))
    with pytest.raises(AssertionError, match="b: expected a bool, got int"):
        ow.sym_ite(1, 1, 2)
    assert not isinstance(3, ow.SymInt)
    with pytest.raises(NotImplementedError, match="SymInt: no program is traced"):
        ow.SymInt(3)


def test_dimensions_in_another_order():
    made = ow.empty_permuted((2, 3, 4), (0, 2, 1), dtype=ow.float64)
    assert (made.shape, made.stride(), made.dtype) == ((2, 3, 4), (12, 1, 3), ow.float64)
    assert ow.empty_permuted((2,), (0,), requires_grad=True).is_leaf
    for layout, words in (
        ((0, 2), r"len\(size\) = 3 is not equal to len\(physical_layout\) = 2"),
        ((0, 1, 3), "expected to be between 0 and 2, but got 3 at index 2"),
        ((0, 0, 1), r"Duplicate dim not allowed, got physical_layout=\[0, 0, 1\]"),
    ):
        with pytest.raises(RuntimeError, match=words):
            ow.empty_permuted((2, 3, 4), layout)


def test_functions_of_arrays():
    double = ow.compiler.wrap_numpy(lambda a, **k: {"twice": a * 2, **k})
    found = double(ow.ones(2), other=3)
    assert found["twice"].tolist() == [2.0, 2.0]
    assert found["other"] == 3
    with pytest.raises(TypeError, match="backend: expected a str or a function, got int"):
        ow.compiler.set_default_backend(3)
    assert ow.compiler.get_default_backend() == "inductor"
