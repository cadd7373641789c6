"""Tensors of complex numbers: what is refused, and what keeps them: pickles, files, copies across processes.
What PyTorch answers of them is in tests/reference/cases/complex.py."""

import copy
import io
import pickle

import numpy as np
import opweave as ow
import pytest

X = [[1 + 2j, 3 - 4j, 0j], [5j, -6 + 0j, 7 + 0.5j]]


@pytest.mark.parametrize(
    ("code", "error", "text"),
    [
        (
            "float(ow.tensor(1 + 2j))",
            RuntimeError,
            "type double without overflow: the number is not real",
        ),
        (
            "int(ow.tensor(1 + 2j))",
            RuntimeError,
            "type int64_t without overflow: the number is not real",
        ),
        (
            "ow.zeros(2).fill_(1j)",
            RuntimeError,
            "cannot be converted to type float without overflow",
        ),
        ("ow.full((2,), 1j, dtype=ow.float32)", RuntimeError, "converted to type float without"),
        ("ow.tensor([1j], dtype=ow.float32)", TypeError, "must be real number, not complex"),
        (
            "ow.tensor([1j], dtype=ow.int64)",
            TypeError,
            "'complex' object cannot be interpreted as an int",
        ),
        ("x + x", NotImplementedError, "\"add\" not implemented for 'ComplexFloat'"),
        ("x.abs()", NotImplementedError, "\"abs\" not implemented for 'ComplexFloat'"),
        ("x @ x.t()", NotImplementedError, "\"matmul\" not implemented for 'ComplexFloat'"),
        ("x.real", NotImplementedError, "\"real\" not implemented for 'ComplexFloat'"),
        ("x.mH", NotImplementedError, "\"mH\" not implemented for 'ComplexFloat'"),
        ("x.H", NotImplementedError, "\"H\" not implemented for 'ComplexFloat'"),
        ("ow.testing.assert_close(x, x)", NotImplementedError, "differences of opweave.complex64"),
        (
            "x[0, 0].requires_grad_().clone().backward()",
            RuntimeError,
            "only for real scalar outputs but got complex64",
        ),
        (
            "ow.autograd.grad(x.requires_grad_().clone(), x, ow.ones(2, 3))",
            RuntimeError,
            "grad_output[0] has a dtype of float32 and output[0] has a dtype of complex64",
        ),
        ("x.conj()", NotImplementedError, "\"conj\" not implemented for 'ComplexFloat'"),
        ("x.sum()", NotImplementedError, "\"sum\" not implemented for 'ComplexFloat'"),
        ("ow.ones(2) * 1j", NotImplementedError, "\"mul\" not implemented for 'ComplexFloat'"),
        (
            "ow.ones(2).add(ow.ones(2), alpha=1j)",
            RuntimeError,
            "alpha must not be a complex number",
        ),
        ("ow.clamp(ow.ones(2), min=1j)", NotImplementedError, '"clamp" not implemented for'),
        ("ow.promote_types(ow.complex64, ow.float64)", RuntimeError, "Promotion for complex128"),
        ("ow.promote_types(ow.complex64, ow.uint16)", RuntimeError, "uint16, uint32, uint64 types"),
        ("ow.zeros(2, dtype=ow.complex128)", NotImplementedError, "complex128"),
        ("ow.from_numpy(np.array([1j]))", TypeError, "float16, complex64, int64"),
        (
            "ow.set_default_dtype(ow.complex64)",
            TypeError,
            "only floating-point types are supported",
        ),
        ("ow.iinfo(ow.complex64)", TypeError, "complex64"),
    ],
)
def test_refusals(code, error, text):
    x = ow.tensor(X)
    with pytest.raises(error) as caught:
        eval(code, {"ow": ow, "np": np, "x": x})
    assert text in str(caught.value)


def test_copies_and_pickles():
    x = ow.tensor(X)
    file = io.BytesIO()
    ow.save({"x": x, "t": x.t(), "dtype": x.dtype}, file)
    file.seek(0)
    loaded = ow.load(file)
    assert loaded["x"].tolist() == X
    assert loaded["t"].tolist() == x.t().tolist()
    assert loaded["dtype"] is ow.complex64
    assert pickle.loads(pickle.dumps(x)).tolist() == X
    assert copy.deepcopy(x).tolist() == X


def test_a_module_keeps_them():
    module = ow.nn.Module()
    module.weight = ow.nn.Parameter(ow.tensor(X))
    other = ow.nn.Module()
    other.weight = ow.nn.Parameter(ow.zeros(2, 3, dtype=ow.complex64))
    other.load_state_dict(module.state_dict())
    assert other.weight.tolist() == X
    module.to(ow.float64)
    assert module.weight.dtype is ow.float64


def test_a_file_of_pytorch_names_their_storage():
    assert ow.storage.class_of(ow.complex64).__name__ == "ComplexFloatStorage"
    assert 5j in ow.tensor(X)
    assert 4j not in ow.tensor(X)


def test_vmap_moves_them():
    x = ow.tensor(X)
    assert ow.func.vmap(lambda row: row.flip(0))(x).tolist() == [row[::-1] for row in X]


def test_numbers_pass_through_boxed_calls():
    found = ow.ops.aten.full((2,), 1 - 2j)
    assert found.tolist() == [1 - 2j] * 2
