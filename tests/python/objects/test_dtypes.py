"""Dtypes as Python objects: what the table says of each, pickles, exchange, private attributes."""

import copy
import pickle

import numpy as np
import pytest
from reference.dtypes import COMMON, COMPLEX, DTYPES, FLOATING, NAMED, TABLE

ROWS = {row["name"]: row for row in TABLE}
OUTSIDERS = [name for name in DTYPES if name not in COMMON]


@pytest.mark.parametrize("name", ROWS)
def test_attributes_are_those_of_the_table(ow, name):
    dtype, row = getattr(ow, name), ROWS[name]
    assert str(dtype) == f"opweave.{name}"
    assert dtype.itemsize == int(row["bytes"])
    assert dtype.is_floating_point is (name in FLOATING)
    assert dtype.is_complex is (name in COMPLEX)
    assert dtype._is_differentiable is (name in FLOATING or name in COMPLEX)
    assert dtype.is_signed is (row["category"] in ("signed_integer", "floating", "complex"))
    assert dtype._safetensors == row["safetensors"]
    assert dtype._in_array_api is (row["array_api"] == "true")
    assert dtype._promotes is (name in COMMON)
    assert not row["alias"] or getattr(ow, row["alias"]) is dtype
    assert not row["method"] or getattr(ow.zeros(2), row["method"])().dtype is dtype


def test_there_are_no_other_dtypes(ow):
    assert [str(d) for d in ow._C._dtypes] == [f"opweave.{name}" for name in ROWS]
    named = {row["name"] for row in NAMED}
    assert {str(d) for d in vars(ow).values() if isinstance(d, ow.dtype)} == {
        f"opweave.{name}" for name in {*ROWS, *named}
    }


@pytest.mark.parametrize("name", ROWS)
def test_pickles_and_copies(ow, name):
    t = ow.tensor([[0, 1, 3], [2, 1, 0]], dtype=getattr(ow, name)).t()
    for again in (pickle.loads(pickle.dumps(t)), copy.deepcopy(t)):
        assert again.dtype is t.dtype
        assert again.stride() == t.stride()
        assert again.tolist() == t.tolist()
    assert pickle.loads(pickle.dumps(t.dtype)) is t.dtype


@pytest.mark.parametrize("name", ROWS)
def test_dlpack_shares_memory(ow, name):
    t = ow.tensor([0, 1, 2], dtype=getattr(ow, name))
    shared = ow.from_dlpack(t)
    assert shared.dtype is t.dtype
    assert shared.data_ptr() == t.data_ptr()


def test_numpy_has_no_float8(ow):
    with pytest.raises(TypeError, match="Got unsupported ScalarType Float8_e5m2"):
        ow.ones(2, dtype=ow.float8_e5m2).numpy()
    with pytest.raises(
        TypeError,
        match="float64, float32, float16, complex64, int64, int32, int16, int8, uint64, uint32, uint16, "
        "uint8, and bool",
    ):
        ow.from_numpy(np.array([1j]))


@pytest.mark.parametrize("name", DTYPES)
def test_views_of_bytes_are_views(ow, name):
    t = ow.tensor([1, 1, 1, 1, 1, 1, 1, 1], dtype=getattr(ow, name))
    whole = t.view(ow.uint8)
    assert whole.numel() == t.nbytes
    assert ow.equal(whole.view(t.dtype), t)
    whole.zero_()
    assert not t.any()


def test_large_numbers_of_uint64(ow):
    large = 2**64 - 1
    t = ow.tensor([large, 1], dtype=ow.uint64)
    assert t.tolist() == [large, 1]
    assert int(t[0]) == t[0].item() == large
    assert repr(t[0]) == f"tensor({large}, dtype=opweave.uint64)"
    assert t.numpy()[0] == large
    with pytest.raises(OverflowError, match="can't convert negative int to unsigned"):
        ow.tensor([-1], dtype=ow.uint64)
    with pytest.raises(TypeError, match="an integer is required"):
        ow.tensor([1.5], dtype=ow.uint64)
    with pytest.raises(OverflowError, match="int too big to convert"):
        ow.tensor([2**64], dtype=ow.uint64)


@pytest.mark.parametrize("name", OUTSIDERS)
def test_shapes_without_data(ow, name):
    t = ow.zeros(2, 3, dtype=getattr(ow, name), device="meta")
    assert (t * t).dtype is t.dtype
    assert (t == t).dtype is ow.bool
    with pytest.raises(NotImplementedError, match="not implemented for"):
        t + t


def test_layouts(ow):
    assert ow.zeros(2).layout is ow.strided
    reserved = {"sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc"}
    assert {n for n, v in vars(ow).items() if isinstance(v, ow.layout)} == {"strided", *reserved}


def test_limits_by_keyword(ow):
    assert ow.finfo(type=ow.float64).bits == 64
    assert ow.iinfo(type=ow.int16).max == 32767
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'type'"):
        ow.iinfo()
