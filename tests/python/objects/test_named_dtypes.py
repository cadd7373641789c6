"""Dtypes and layouts that can be named and have no tensors."""

import copy
import pickle

import pytest
from reference.dtypes import NAMED

NAMES = [row["name"] for row in NAMED]


@pytest.mark.parametrize("row", NAMED, ids=NAMES)
def test_they_say_what_they_are(ow, row):
    dtype = getattr(ow, row["name"])
    assert isinstance(dtype, ow.dtype)
    assert str(dtype) == f"opweave.{row['name']}"
    assert dtype.itemsize == int(row["bytes"])
    assert dtype.is_complex is (row["category"] == "complex")
    assert dtype.is_floating_point is (row["category"] == "floating")
    assert not row["alias"] or getattr(ow, row["alias"]) is dtype
    assert dtype not in ow._C._dtypes
    assert {dtype: 1}[copy.deepcopy(dtype)] == 1
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert dtype != ow.ones(1).dtype


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "make",
    [
        lambda ow, d: ow.zeros(2, dtype=d),
        lambda ow, d: ow.empty(2, dtype=d),
        lambda ow, d: ow.tensor(1, dtype=d),
        lambda ow, d: ow.ones(2).to(d),
        lambda ow, d: ow.ones(2).to("cpu", d),
        lambda ow, d: ow.ones(2).type(d),
        lambda ow, d: ow.ones(2).view(d),
        lambda ow, d: ow.ones(2).sum(dtype=d),
        lambda ow, d: ow.promote_types(d, ow.float32),
        lambda ow, d: ow.can_cast(d, ow.float32),
        lambda ow, d: ow.set_default_dtype(d),
        lambda ow, d: ow.nn.Linear(2, 2, dtype=d),
        lambda ow, d: ow.set_autocast_dtype("cpu", d),
    ],
)
def test_no_tensor_is_made_of_them(ow, name, make):
    text = rf"^opweave\.{name} is there to be named and compared with: Opweave has no tensors of it"
    with pytest.raises(NotImplementedError, match=text):
        make(ow, getattr(ow, name))


def test_complex_numbers_and_their_parts(ow):
    pairs = {
        "float16": "chalf",
        "float32": "cfloat",
        "float64": "cdouble",
        "bfloat16": "bcomplex32",
    }
    for real, paired in pairs.items():
        assert getattr(ow, real).to_complex() is getattr(ow, paired)
        assert getattr(ow, paired).to_real() is getattr(ow, real).to_real() is getattr(ow, real)
    assert ow.complex64.to_complex() is ow.complex64
    assert repr(ow.finfo(ow.complex64)) == repr(ow.finfo(ow.float32))
    for name, called in {"int64": "Long", "bool": "Bool", "qint8": "QInt8"}.items():
        with pytest.raises(RuntimeError, match=f"^Unknown Complex ScalarType for {called}$"):
            getattr(ow, name).to_complex()


def test_limits_and_signs(ow):
    assert (ow.complex64.is_signed, ow.uint4.is_signed, ow.int4.is_signed) == (True, False, True)
    with pytest.raises(RuntimeError, match=r"^is_signed: not defined for opweave\.quint8$"):
        ow.quint8.is_signed  # noqa: B018
    for limits, name in [(ow.iinfo, "int4"), (ow.finfo, "float8_e8m0fnu")]:
        with pytest.raises(NotImplementedError, match=rf"^opweave\.{name} is there to be named"):
            limits(getattr(ow, name))


@pytest.mark.parametrize(
    "name", ["sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc"]
)
def test_layouts(ow, name):
    layout = getattr(ow, name)
    assert isinstance(layout, ow.layout)
    assert ow.ones(1).layout != layout
    text = rf"^opweave\.{name} is there to be named and compared with: Opweave has no tensors of this layout"
    with pytest.raises(NotImplementedError, match=text):
        ow.zeros(2, layout=layout)
