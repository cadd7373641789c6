"""Private functions of PyTorch's that libraries call."""

import opweave as ow
import pytest
from opweave import _utils
from opweave.nn import _reduction
from opweave.utils import _contextlib, _foreach_utils


def test_tensors_are_grouped_by_device_and_dtype():
    a, b, c = ow.ones(1), ow.ones(1).double(), ow.zeros(1)
    found = _foreach_utils._group_tensors_by_device_and_dtype([[a, b, c], [a, None, c], []], True)
    host = ow.device("cpu")
    assert found == {
        (host, ow.float32): ([[a, c], [a, c], []], [0, 2]),
        (host, ow.float64): ([[b], [None], []], [1]),
    }
    assert _foreach_utils._has_foreach_support([a, None], host)
    assert not _foreach_utils._has_foreach_support([ow.nn.Parameter(a)], host)
    assert "cpu" in _foreach_utils._get_fused_kernels_supported_devices()
    with pytest.raises(RuntimeError, match="expected lists of tensors, got none"):
        _foreach_utils._group_tensors_by_device_and_dtype([[]])
    with pytest.raises(
        RuntimeError, match=r"expected lists of equal length, got lists of \[2, 1\]"
    ):
        _foreach_utils._group_tensors_by_device_and_dtype([[a, b], [a]])
    with pytest.raises(RuntimeError, match="supposed to be defined but the 1-th Tensor is not"):
        _foreach_utils._group_tensors_by_device_and_dtype([[a, 3]])


def test_tensors_as_one_and_apart_again():
    parts = [ow.ones(2, 2), ow.arange(3.0)]
    flat = _utils._flatten_dense_tensors(parts)
    assert flat.tolist() == [1, 1, 1, 1, 0, 1, 2]
    again = _utils._unflatten_dense_tensors(flat, parts)
    assert all(map(ow.equal, again, parts))
    again[1][0] = 7.0
    assert flat[4] == 7.0
    with pytest.raises(RuntimeError, match="exceeds dimension size"):
        _utils._unflatten_dense_tensors(ow.ones(2), [ow.ones(3)])
    small, wide = ow.ones(2), ow.ones(3).double()
    assert list(_utils._take_tensors([small, wide, small], 16)) == [[wide], [small, small]]


def test_indices_of_devices():
    index = _utils._get_device_index
    assert [index(3), index("cuda:2"), index(ow.device("cpu"), allow_cpu=True)] == [3, 2, -1]
    assert index(ow.device("cuda"), optional=True) is None or ow.cuda.is_available()
    with pytest.raises(ValueError, match="Expected a non cpu device, but got: cpu"):
        index("cpu")
    with pytest.raises(ValueError, match=r"Expected a torch\.device with a specified"):
        index(None)


def test_a_context_that_is_a_decorator():
    class Counted(_contextlib._NoParamDecoratorContextManager):
        inside = 0

        def __enter__(self):
            Counted.inside += 1

        def __exit__(self, *exception):
            Counted.inside -= 1

    @Counted
    def called():
        return Counted.inside

    @Counted()
    def each():
        yield Counted.inside
        yield Counted.inside

    numbers = each()
    assert called() == 1
    assert next(numbers) == 1
    assert Counted.inside == 0
    assert next(numbers) == 1
    with pytest.raises(NotImplementedError, match=r"_DecoratorContextManager.__enter__\(\)"):
        _contextlib._DecoratorContextManager().__enter__()
    assert _contextlib.context_decorator(Counted, lambda: Counted.inside)() == 1


def test_the_class_itself_has_a_property():
    class Named:
        @_utils.classproperty
        def title(self):
            return self.__name__.lower()

    assert Named.title == Named().title == "named"
    assert _utils._import_dotted_name("opweave.nn.Linear") is ow.nn.Linear


def test_old_ways_to_reduce():
    assert [_reduction.get_enum(r) for r in ("none", "mean", "sum")] == [0, 1, 2]
    with pytest.raises(ValueError, match="max is not a valid value for reduction"):
        _reduction.get_enum("max")
    with pytest.warns(UserWarning, match="please use reduction='sum' instead"):
        assert _reduction.legacy_get_string(False, True) == "sum"
    assert _reduction.legacy_get_enum(None, False, emit_warning=False) == 0


def test_a_histogram_has_a_hundred_bins():
    assert ow.histogram(ow.arange(4.0)).hist.shape == (100,)
    assert ow.arange(4.0).histogram(density=True).bin_edges.shape == (101,)
