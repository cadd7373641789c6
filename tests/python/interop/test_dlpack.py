"""Exchange through DLPack, 0.8 and 1: the memory is shared, and freed once."""

import ctypes
import gc
import weakref

import numpy as np
import pytest
from reference.dtypes import DTYPES, SHARED


@pytest.mark.parametrize("name", [n for n in SHARED if n != "bool"])
def test_with_numpy(ow, name):
    t = ow.tensor([[0, 1, 0], [1, 1, 0]], dtype=getattr(ow, name))
    array = np.from_dlpack(t)
    assert array.tolist() == t.tolist()
    assert array.__array_interface__["data"][0] == t.data_ptr()
    source = np.array([1, 0, 1], dtype=name)
    back = ow.from_dlpack(source)
    assert back.tolist() == source.tolist()
    assert back.data_ptr() == source.__array_interface__["data"][0]


@pytest.mark.parametrize("name", DTYPES)
def test_with_itself(ow, name):
    t = ow.tensor([[0, 1, 0], [1, 1, 0]], dtype=getattr(ow, name)).t()
    back = ow.from_dlpack(t)
    assert (back.dtype, back.shape, back.stride()) == (t.dtype, t.shape, t.stride())
    assert back.data_ptr() == t.data_ptr()
    assert back.tolist() == t.tolist()
    capsule = ow.utils.dlpack.to_dlpack(t)
    assert ow.utils.dlpack.from_dlpack(capsule).tolist() == t.tolist()
    with pytest.raises(RuntimeError):
        ow.utils.dlpack.from_dlpack(capsule)


def test_of_views(ow):
    t = ow.arange(12.0).view(3, 4)
    for view in (t[1:], t[:, 1::2], t[0, 0], t[:0]):
        assert ow.from_dlpack(view).tolist() == view.tolist()
        assert np.from_dlpack(view).tolist() == view.tolist()


def test_details(ow):
    assert ow.ones(2).__dlpack_device__() == (1, 0)
    with pytest.raises((RuntimeError, BufferError)):
        ow.ones(2, requires_grad=True).__dlpack__()
    capsule = ow.ones(1000).__dlpack__()
    del capsule
    t = ow.from_dlpack(ow.arange(1000.0))
    gc.collect()
    assert t.sum().item() == 499500


class _Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Versioned(ctypes.Structure):
    """DLManagedTensorVersioned, as the specification lays it out."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


_NAME = b"dltensor_versioned"
_READ_ONLY, _COPIED = 1, 2
_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def described(capsule):
    return _Versioned.from_address(_pointer(capsule, _NAME))


class Foreign:
    """Another library's vector of three floats."""

    def __init__(self, major=1, flags=0, size=3, dtype=(2, 32, 1), device=1):
        self.deleted = 0
        self._data = (ctypes.c_float * 3)(1, 2, 3)
        self._shape = (ctypes.c_int64 * 1)(size)
        tensor = _Tensor(ctypes.addressof(self._data), device, 0, 1, *dtype, self._shape, None, 0)
        delete = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._delete)
        self.managed = _Versioned(major, 0, None, delete, flags, tensor)

    def _delete(self, _):
        self.deleted += 1

    def __dlpack__(self, *, max_version=None):
        return _new(ctypes.addressof(self.managed), _NAME, None)

    def __dlpack_device__(self):
        return 1, 0


def test_what_a_capsule_of_dlpack_1_says(ow):
    t = ow.arange(12.0).view(3, 4)[1:, ::2]
    capsule = t.__dlpack__(max_version=(1, 0))
    said = described(capsule)
    assert (said.major, said.flags) == (1, 0)
    assert (said.tensor.ndim, said.tensor.shape[0], said.tensor.shape[1]) == (2, 2, 2)
    assert (said.tensor.strides[0], said.tensor.strides[1]) == (4, 2)
    assert said.tensor.data + said.tensor.byte_offset == t.data_ptr()
    assert described(t.__dlpack__(max_version=(1, 0), read_only=True)).flags == _READ_ONLY
    copied = t.__dlpack__(max_version=(1, 0), copy=True)
    assert described(copied).flags == _COPIED
    assert described(copied).tensor.data != t.data_ptr()


def test_numpy_may_write_where_it_is_told(ow):
    t = ow.zeros(3)
    try:
        array = np.from_dlpack(t)
    except BufferError:
        pytest.skip("a NumPy without DLPack 1")
    if array.flags.writeable:  # a NumPy that knows DLPack 1
        array[1] = 5
        assert t.tolist() == [0, 5, 0]


def test_memory_is_given_back_once(ow):
    source = Foreign()
    t = ow.from_dlpack(source)
    part = t[1:]
    assert t.tolist() == [1, 2, 3]
    del t
    gc.collect()
    assert source.deleted == 0
    assert part.tolist() == [2, 3]
    del part
    gc.collect()
    assert source.deleted == 1


def test_read_only_memory_is_taken_with_a_warning(ow):
    with pytest.warns(UserWarning, match="the memory is read-only, and tensors cannot be"):
        assert ow.from_dlpack(Foreign(flags=_READ_ONLY)).tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"major": 2}, r"from_dlpack\(\): DLPack 2.0 is not supported; 0.8 and 1 are"),
        ({"device": 2}, r"from_dlpack\(\): unsupported device type 2"),
        ({"dtype": (5, 32, 1)}, r"from_dlpack\(\): unsupported dtype: code 5, 32 bits, 1 lanes"),
        ({"dtype": (2, 32, 4)}, r"from_dlpack\(\): unsupported dtype: code 2, 32 bits, 4 lanes"),
    ],
)
def test_what_no_tensor_can_be_stays_with_its_owner(ow, wrong, says):
    source = Foreign(**wrong)
    with pytest.raises(RuntimeError, match=says):
        ow.from_dlpack(source)
    gc.collect()
    assert source.deleted == 0


def test_objects_that_know_fewer_arguments(ow):
    class Old:
        def __init__(self, tensor):
            self._tensor = tensor

        def __dlpack__(self):
            return self._tensor.__dlpack__()

        def __dlpack_device__(self):
            return self._tensor.__dlpack_device__()

    t = ow.ones(3)
    assert ow.from_dlpack(Old(t)).data_ptr() == t.data_ptr()
    assert ow.from_dlpack(Old(t), copy=True).data_ptr() != t.data_ptr()
    assert ow.asarray(Old(t)).data_ptr() == t.data_ptr()


def test_an_owners_error_is_heard(ow):
    class Broken:
        def __dlpack__(self, **options):
            raise BufferError("not today")

        def __dlpack_device__(self):
            return 1, 0

    with pytest.raises(BufferError, match="not today"):
        ow.from_dlpack(Broken())


def test_a_capsule_that_nobody_takes_frees_its_tensor(ow):
    array = np.arange(10.0)
    seen = weakref.ref(array)
    capsules = [ow.from_numpy(array).__dlpack__(max_version=v) for v in (None, (1, 0))]
    del array
    gc.collect()
    assert seen() is not None
    del capsules
    gc.collect()
    assert seen() is None


def test_devices(ow):
    t = ow.ones(2)
    assert ow.from_dlpack(t, device="meta").is_meta
    with pytest.raises(ValueError, match="tensor from device cpu to meta without copying"):
        ow.from_dlpack(t, device="meta", copy=False)
    with pytest.raises(
        BufferError, match=r"a tensor on cpu has no memory on the DLPack device \(2, 0\)"
    ):
        t.__dlpack__(dl_device=(2, 0))
