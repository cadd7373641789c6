"""The sample calls of a document with their arguments made: arrays of NumPy, numbers, text."""

import itertools
import zlib

import numpy as np
from c_target import constant

# Multiples of 1/64, exact in every floating dtype.
_DOMAINS = {
    "real": (-2, 2),
    "positive": (0.125, 3),
    "unit": (-0.9, 0.9),
    "nonzero": (0.25, 2.25),
    "ge1": (1.0625, 3),
    "prob": (0.0625, 0.9375),
    "small": (-0.45, 0.45),
    "wide": (-12, 12),
    "distinct": (-2, 2),
    "integer": (-4, 4),
}
# Of their own dtype, whichever a call is made in.
_OWN_DTYPE = {"integer": "int64", "boolean": "bool", "below": "int64"}


def _drawn(value, random, dtype):
    sizes, domain = value.get("sizes", ()), value["draw"]
    dtype = value.get("dtype") or _OWN_DTYPE.get(domain, dtype)
    if domain == "boolean":
        found = random.integers(2, size=sizes)
    elif domain == "below":
        found = random.integers(value["limit"], size=sizes)
    else:
        low, high = _DOMAINS[domain]
        found = np.round(random.uniform(low, high, sizes) * 64) / 64
        found = found * random.choice([-1, 1], sizes) if domain == "nonzero" else found
        if dtype not in ("float32", "float64"):  # away from 0, which nonzero must not be
            found = np.sign(found) * np.ceil(np.abs(found))
    return np.asarray(found).astype(dtype)


def _is_float(value):
    return any(map(_is_float, value)) if isinstance(value, list) else isinstance(value, float)


def _elements(values, dtype):
    """Those that are written with a point take the dtype of the call, if it has them."""
    array = np.array(values)
    if not _is_float(values):
        return array.astype("bool" if array.dtype == bool else "int64")
    whole = dtype not in ("float32", "float64")
    return (
        None
        if whole and not all(float(v).is_integer() for v in array.flat)
        else array.astype(dtype)
    )


def _takes_dtype(value):
    if "list" in value:
        return any(map(_takes_dtype, value["list"]))
    if "elements" in value:
        return _is_float(constant(value["elements"]))
    return "sizes" in value and value["draw"] not in _OWN_DTYPE and "dtype" not in value


def _listed(value, type_):
    """One number for a list of some length is each of its elements."""
    single = type_.get("list") and value is not None and not isinstance(value, list)
    return [value] * type_.get("size", 1) if single else value


def _value(argument, sample, random, dtype):
    given = sample.get(argument["name"])
    if given is None:
        default = constant(argument["default"]) if "default" in argument else None
        return _listed(default, argument["type"])
    if "constant" in given:
        return _listed(constant(given["constant"]), argument["type"])
    if "elements" in given:
        return _elements(constant(given["elements"]), dtype)
    if "list" in given:
        one = {**argument, "name": "item"}
        return [_value(one, {"item": item}, random, dtype) for item in given["list"]]
    if "sizes" in given:
        return _drawn(given, random, dtype)
    number = _drawn(given, random, "float64").item()
    return {"int": int, "bool": bool}.get(argument["type"]["base"], lambda n: n)(number)


def calls(operator, dtype, first):
    """The arguments, in the order of the schema, of each call that there is in a dtype. Calls that are the
    same in every dtype are made in the `first` one."""
    for place, sample in enumerate(operator["samples"]):
        if dtype != first and not any(map(_takes_dtype, sample.values())):
            continue
        if any(v.get("dtype") == "bfloat16" for v in sample.values()):
            continue  # NumPy has none
        random = np.random.default_rng(zlib.crc32(f"{operator['name']} {place}".encode()))
        arguments = operator["schema"]["arguments"]
        values = [_value(argument, sample, random, dtype) for argument in arguments]
        written = ["elements" in sample.get(argument["name"], {}) for argument in arguments]
        if not any(v is None and has for v, has in zip(values, written, strict=True)):
            yield values


_SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, -2.0, 1e-30]


def special_call(operator, values):
    """A call with each pair of special numbers in its floating tensors; None where it has none."""
    tensors = [i for i, v in enumerate(values) if isinstance(v, np.ndarray) and v.dtype.kind == "f"]
    if not tensors:
        return None
    pairs = np.array([*itertools.product(_SPECIAL, repeat=2)], values[tensors[0]].dtype)
    columns = [pairs[:, 0], pairs[:, 1], np.roll(pairs[:, 0], 5), np.roll(pairs[:, 1], 3)]
    flat = [v.ravel()[0] if isinstance(v, np.ndarray) else v for v in values]
    for place, column in zip(tensors, columns):
        flat[place] = column.copy()
    return flat
