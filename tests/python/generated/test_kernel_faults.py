"""What only a kernel's fault can tell is never taken for a refusal of the call."""

import pytest
from cases import CASES, Case
from kernel_faults import KernelFaultError
from test_references import _compare_if_known
from variations import Varied

_FAULTS = [
    RuntimeError("f(): the kernel returned no tensor"),
    RuntimeError("f(): the kernel put another tensor in the place of its result"),
    RuntimeError("f(): the kernel returned a tensor that is not its own, such as an argument"),
    TypeError("a boxed kernel of f() left None as result 0, which is Tensor"),
    IndexError("vector::_M_range_check: __n (which is 3) >= this->size() (which is 3)"),
    RuntimeError("bad optional access"),
    RuntimeError("internal error: n > 0 is false at f.cc:3"),
]
_REFUSALS = [
    RuntimeError("f(): expected self of 2 dimensions, but got 3"),
    IndexError("f(): Dimension out of range"),
    RuntimeError("f(): the kernel_size has to be odd"),
]
_MM = next(c for c in CASES if c.operator.full_name == "mm")


@pytest.fixture(name="told")
def what_kernels_tell(monkeypatch):
    """A function that gives every call of an operator this error."""

    def tell(error):
        def fail(*_, **__):
            raise error

        monkeypatch.setattr("cases.call", fail)

    return tell


@pytest.mark.parametrize("error", _FAULTS, ids=str)
def test_a_fault_is_red_beside_the_samples(told, error):
    told(error)
    varied = Varied(_MM.operator, _MM.sample, _MM.sample)
    with pytest.raises(KernelFaultError, match="mm: its kernel is wrong: ") as failed:
        _ = varied.is_taken
    assert str(error) in str(failed.value)
    assert f"call: {_MM.key}" in str(failed.value)
    with pytest.raises(KernelFaultError):
        _compare_if_known(varied, "float64", "contiguous", varied.values(), wanted=[0])


@pytest.mark.parametrize("error", _FAULTS, ids=str)
def test_a_fault_is_red_of_a_sample(told, error):
    told(error)
    with pytest.raises(KernelFaultError, match="mm: its kernel is wrong: "):
        Case(_MM.operator, _MM.sample).results(_MM.values())


@pytest.mark.parametrize("error", _REFUSALS, ids=str)
def test_a_refusal_is_fine(told, error):
    told(error)
    varied = Varied(_MM.operator, _MM.sample, _MM.sample)
    assert not varied.is_taken
    assert not _compare_if_known(varied, "float64", "contiguous", varied.values(), wanted=[0])
