"""Exchange with NumPy: the memory is shared, whichever side it came from."""

import gc

import numpy as np
import pytest
from reference.dtypes import SHARED


@pytest.mark.parametrize("name", SHARED)
def test_from_numpy(ow, name):
    array = np.array([[0, 1, 0], [1, 1, 0]], dtype=name)
    t = ow.from_numpy(array)
    assert t.dtype is getattr(ow, name)
    assert t.shape == (2, 3)
    assert t.tolist() == array.tolist()
    t[0, 0] = 1
    assert array[0, 0] == 1
    array[1, 2] = 1
    assert t[1, 2].item() == 1


@pytest.mark.parametrize("name", SHARED)
def test_to_numpy(ow, name):
    t = ow.tensor([[0, 1, 0], [1, 1, 0]], dtype=getattr(ow, name))
    array = t.numpy()
    assert array.dtype == np.dtype(name)
    assert array.tolist() == t.tolist()
    array[0, 0] = 1
    assert t[0, 0].item() == 1
    assert array.__array_interface__["data"][0] == t.data_ptr()


def test_bfloat16_has_no_numpy_type(ow):
    with pytest.raises(TypeError):
        ow.ones(2, dtype=ow.bfloat16).numpy()


def test_layouts(ow):
    array = np.arange(24.0).reshape(2, 3, 4)
    for view in (
        array.T,
        array[:, ::2],
        array[1],
        array[..., 1],
        array[:, :0],
        array.reshape(-1)[3:],
    ):
        t = ow.from_numpy(view)
        assert t.tolist() == view.tolist()
        assert t.numel() == 0 or t.stride() == tuple(s // 8 for s in view.strides)
        assert t.numpy().tolist() == view.tolist()
    t = ow.arange(24.0).view(2, 3, 4)
    for view in (t.permute(2, 0, 1), t[:, ::2], t[1], t[..., 1], t[:, :0], t[:1].expand(3, 3, 4)):
        assert view.numpy().tolist() == view.tolist()
        assert view.numel() == 0 or view.numpy().strides == tuple(4 * s for s in view.stride())
    assert ow.from_numpy(np.array(2.5)).item() == 2.5
    assert ow.tensor(2.5).numpy().shape == ()


def test_the_owner_lives_on(ow):
    t = ow.from_numpy(np.arange(1000.0))
    gc.collect()
    assert t.sum().item() == 499500
    array = ow.arange(1000.0).numpy()
    gc.collect()
    assert array.sum() == 499500


def test_grad_and_numpy(ow):
    x = ow.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="detach"):
        x.numpy()
    assert x.detach().numpy().tolist() == [1.0, 1.0]
    assert x.numpy(force=True).tolist() == [1.0, 1.0]


def test_bad_arrays(ow):
    with pytest.raises(TypeError):
        ow.from_numpy([1, 2])
    with pytest.raises(TypeError):
        ow.from_numpy(np.array(["a"]))
    with pytest.raises(TypeError):
        ow.from_numpy(np.array([None]))
    with pytest.raises(ValueError, match=r"(?i)stride"):
        ow.from_numpy(np.arange(4)[::-1])
    assert ow.tensor(np.arange(4)[::-1].copy()).tolist() == [3, 2, 1, 0]


def test_a_version_counts_for_shared_memory(ow):
    t = ow.ones(2)
    t.numpy()[0] = 5
    assert t._version == 0
    assert t.tolist() == [5.0, 1.0]


@pytest.mark.filterwarnings("ignore")
def test_numpy_functions_take_tensors(ow):
    t = ow.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert np.asarray(t).tolist() == t.tolist()
    assert np.array(t, dtype=np.int64).tolist() == [[1, 2], [3, 4]]
    assert np.sum(np.asarray(t)) == 10
    assert np.asarray(t[0]).dtype == np.float32
    np.testing.assert_allclose(t, [[1, 2], [3, 4]])


def test_mixed_operators(ow):
    t = ow.tensor([1.0, 2.0])
    assert (t + np.float32(1)).tolist() == [2.0, 3.0]
    assert (t * np.float64(2)).dtype is ow.float32
    assert (t + np.int64(2)).dtype is ow.float32
    assert t[np.int64(1)].item() == 2.0
    assert t[np.array([1, 0])].tolist() == [2.0, 1.0]
    assert ow.zeros(np.int64(2), 3).shape == (2, 3)
    assert ow.zeros((np.int32(2), np.int64(3))).shape == (2, 3)
    assert ow.full((2,), np.float64(1.5)).tolist() == [1.5, 1.5]
    assert t.sum(np.int64(0)).item() == 3.0


def test_tensors_of_one_element_are_sizes_and_dimensions(ow):
    one, two = ow.tensor([1]), ow.tensor([[2]])
    x = ow.arange(6.0)
    assert x.view(two, -1).shape == x.reshape(two, 3).shape == (2, 3)
    assert ow.ones(1, 1).expand(two, 3).shape == ow.zeros(two, 3).shape == (2, 3)
    assert ow.zeros([two, 3]).shape == ow.zeros((two, ow.tensor(3))).shape == (2, 3)
    assert ow.ones(2, 3).sum(one).tolist() == [3, 3]
    assert ow.topk(x, two).indices.tolist() == [5, 4]
    assert [len(p) for p in ow.split(x, two)] == [2, 2, 2]
    assert x.roll(one).tolist() == [5, 0, 1, 2, 3, 4]
    assert ow.tensordot(ow.ones(2, 3), ow.ones(3, 2), dims=one).tolist() == [[3, 3], [3, 3]]
    for wrong in (ow.tensor([1.0]), ow.tensor([1, 0]), ow.tensor([True])):
        with pytest.raises(TypeError, match="invalid combination of arguments"):
            ow.ones(2, 3).sum(wrong)
    assert x[one].shape == (1,)  # an index it stays
    assert ow.repeat_interleave(ow.ones(2), ow.tensor([2])).shape == (4,)


def test_as_tensor_shares(ow):
    array = np.zeros(2, dtype=np.float32)
    t = ow.as_tensor(array)
    array[0] = 3
    assert t[0].item() == 3
    assert ow.as_tensor(array, dtype=ow.float64).dtype is ow.float64
    assert ow.tensor(array).data_ptr() != t.data_ptr()
