"""The functions of rules in Python, by their names in the document. The first argument of each is its table
of dtypes; sizes and strides are lists."""

import itertools
from math import ceil, prod

import numpy as np


def _wrap(dim, rank):
    rank = max(rank, 1)
    if not -rank <= dim < rank:
        raise IndexError(dim)
    return dim % rank


def _reduced(sizes, dims, keepdim):
    dims = {_wrap(d, len(sizes)) for d in dims or range(len(sizes))}
    pairs = [(i, 1 if i in dims else n) for i, n in enumerate(sizes)]
    return [n for i, n in pairs if keepdim or i not in dims]


def _spread(list_, count):
    return list_ * count if len(list_) == 1 else list_


def _window(size, kernel, stride, padding, dilation, ceil_mode):
    left = size + 2 * padding - dilation * (kernel - 1) - 1
    count = (ceil(left / stride) if ceil_mode else left // stride) + 1
    starts_beyond = ceil_mode and (count - 1) * stride >= size + padding
    return count - 1 if starts_beyond else count


def _convolved(input_, weight, stride, padding, dilation):
    n = len(weight) - 2
    stride, padding, dilation = (_spread(v, n) for v in (stride, padding, dilation))
    sizes = [
        _window(input_[2 + i], weight[2 + i], stride[i], padding[i], dilation[i], False)
        for i in range(n)
    ]
    return [input_[0], weight[0], *sizes]


def _transposed(input_, weight, stride, padding, output_padding, dilation, groups):
    n = len(weight) - 2
    stride, padding, more, dilation = (
        _spread(v, n) for v in (stride, padding, output_padding, dilation)
    )
    sizes = [
        (input_[2 + i] - 1) * stride[i]
        - 2 * padding[i]
        + dilation[i] * (weight[2 + i] - 1)
        + more[i]
        + 1
        for i in range(n)
    ]
    return [input_[0], weight[1] * groups, *sizes]


def _inferred(shape, numel):
    known = prod(n for n in shape if n != -1)
    return [numel // known if n == -1 else n for n in shape]


def _expanded_sizes(from_, to):
    padded = [None] * (len(to) - len(from_)) + list(from_)
    return [size if asked == -1 else asked for size, asked in zip(padded, to)]


def _squeezed(list_, sizes, dims=None):
    dims = range(len(sizes)) if dims is None else {_wrap(d, len(sizes)) for d in dims}
    return [v for i, (v, n) in enumerate(zip(list_, sizes)) if n != 1 or i not in dims]


def _moved(rank, source, destination):
    source, destination = ([_wrap(d, rank) for d in list_] for list_ in (source, destination))
    order = [d for d in range(rank) if d not in source]
    for to, from_ in sorted(zip(destination, source)):
        order.insert(to, from_)
    return order


def _clamped(index, otherwise, size):
    index = otherwise if index is None else index
    return min(max(index + size if index < 0 else index, 0), size)


def _swapped(list_, a, b):
    list_ = list(list_)
    if list_:
        list_[a], list_[b] = list_[b], list_[a]
    return list_


def _replaced(list_, index, value):
    return [*list_[:index], value, *list_[index % len(list_) + 1 :]]


def _without(list_, *indices):
    indices = {i % len(list_) for i in indices}
    return [v for i, v in enumerate(list_) if i not in indices]


def _repeated(sizes, repeats):
    rank = max(len(sizes), len(repeats))
    sizes, repeats = ([1] * (rank - len(v)) + list(v) for v in (sizes, repeats))
    return [n * count for n, count in zip(sizes, repeats)]


def _padded_by(sizes, pad):
    sizes = list(sizes)
    for i in range(len(pad) // 2):
        sizes[-1 - i] += pad[2 * i] + pad[2 * i + 1]
    return sizes


def _raised(tensor, rank):
    """As NumPy's atleast_1d, atleast_2d and atleast_3d."""
    return (np.atleast_1d, np.atleast_2d, np.atleast_3d)[rank - 1](tensor)


def _matmul(a, b):
    if len(a) == 1 or len(b) == 1:
        return [*a[:-1], *b[:-2], *b[-1:]] if len(b) > 1 else a[:-1]
    return [*np.broadcast_shapes(tuple(a[:-2]), tuple(b[:-2])), a[-2], b[-1]]


def _einsum(equation, tensors):
    inputs, arrow, output = equation.replace(" ", "").partition("->")
    sizes = {}
    for letters, tensor in zip(inputs.split(","), tensors):
        sizes |= dict(zip(letters, tensor.shape))
    if not arrow:
        output = "".join(c for c in sorted(set(inputs) - {","}) if inputs.count(c) == 1)
    return [sizes[letter] for letter in output]


def _indexed(self, indices):
    return list(self[tuple(slice(None) if i is None else i for i in indices)].shape)


def _category(dtypes, name):
    return next(d["category"] for d in dtypes["list"] if d["name"] == name)


def _info(dtypes, name):
    return next(d for d in dtypes["list"] if d["name"] == name)


def _digits(dtypes, name):
    info = _info(dtypes, name)
    if "fraction_bits" in info:
        return info["fraction_bits"] + 1
    return 1 if name == "bool" else 8 * info["bytes"] - (info["category"] == "signed_integer")


def _least(dtypes, name):
    if _category(dtypes, name) == "floating":
        return -(2 ** _digits(dtypes, name))
    return -(2 ** _digits(dtypes, name)) if _category(dtypes, name) == "signed_integer" else 0


def _largest(dtypes, name):
    return 2 ** _digits(dtypes, name) - (_category(dtypes, name) != "floating")


def _fits(dtypes, value, name):
    if _category(dtypes, name) == "floating" or name == "bool":
        return True
    return isinstance(value, bool) or -_largest(dtypes, name) - 1 <= value <= _largest(dtypes, name)


def _common_dtype(dtypes, tensors):
    found = tensors[0].dtype.name
    for tensor in tensors:
        found = dtypes["promotions"][found][tensor.dtype.name]
    return found


def _accumulated(dtypes, dtype, asked):
    return asked or (dtype if _category(dtypes, dtype) == "floating" else "int64")


def _cat_sizes(tensors, dim):
    tensors = [t for t in tensors if t.shape != (0,)] or tensors
    return list(np.concatenate(tensors, dim).shape)


def _repeated_dim(dims, rank):
    dims = [_wrap(d, rank) for d in dims]
    return next((d for i, d in enumerate(dims) if d in dims[:i]), -1)


def _first(holds, items):
    return next((i for i, item in enumerate(items) if holds(item)), -1)


def _unlike(pair):
    return (pair[0].shape, pair[0].dtype) != (pair[1].shape, pair[1].dtype)


def _plain(function):
    """One that asks no table of dtypes."""
    return lambda dtypes, *operands: function(*operands)


_OF_SIZES = {
    "wrap": _wrap,
    "reduced": _reduced,
    "reduced.dim": lambda s, d, k: _reduced(s, None if d is None else [d], k),
    "with_dim": lambda sizes, dim: (_wrap(dim, len(sizes)), sizes)[1],
    "size_along": lambda sizes, dim: sizes[_wrap(dim, len(sizes))] if sizes else 1,
    "broadcast": lambda a, b: list(np.broadcast_shapes(tuple(a), tuple(b))),
    "broadcasts_to": lambda a, b: np.broadcast_shapes(tuple(a), tuple(b)) == tuple(b),
    "expanded": lambda from_, to: to,
    "same": lambda a, b: list(a) == list(b),
    "same.but": lambda a, b, but: len(a) == len(b) and _without(a, but) == _without(b, but),
    "concat": lambda a, b: [*a, *b],
    "first": lambda list_, count: list_[:count],
    "last": lambda list_, count: list_[len(list_) - count :],
    "without": _without,
    "without.two": _without,
    "replaced": _replaced,
    "inserted": lambda list_, index, value: [*list_[:index], value, *list_[index:]],
    "with_last_ones": lambda sizes, count: [*sizes[: len(sizes) - count], *[1] * count],
    "ends_with": lambda list_, end: list_[len(list_) - len(end) :] == end,
    "product": prod,
    "multiplied": lambda sizes, factors: [int(n * f) for n, f in zip(sizes, factors)],
    "pick": lambda list_, index: list_[0] if len(list_) == 1 else list_[index],
    "first_empty": lambda sizes, dims: _first(lambda d: sizes[d] == 0, dims),
    "smallest": min,
    "min": min,
    "max": max,
    "floor_div": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "window": _window,
    "extents": lambda kernel, gaps: [
        g * (k - 1) + 1 for k, g in zip(kernel, _spread(gaps, len(kernel)))
    ],
    "padded": lambda sizes, padding: [
        n + 2 * p for n, p in zip(sizes, _spread(padding, len(sizes)))
    ],
    "convolved": _convolved,
    "transposed_convolved": _transposed,
    "fits_into": lambda a, b: len(a) == len(b) and all(x <= y for x, y in zip(a, b)),
    "fits_into.but": lambda a, b, but: all(
        x <= y for x, y in zip(_without(a, but), _without(b, but))
    ),
    "all_between": lambda list_, low, high: all(low <= v <= high for v in list_),
    "below_either": lambda list_, a, b: all(
        v < x or v < y for v, x, y in zip(list_, _spread(a, len(list_)), _spread(b, len(list_)))
    ),
    "at_least_1d": lambda sizes: sizes or [1],
    "repeated_dim": _repeated_dim,
    "is_contiguous": lambda tensor: tensor.flags.c_contiguous,
    "are_contiguous": lambda tensors: all(t.flags.c_contiguous for t in tensors),
    "cat_sizes": _cat_sizes,
    "indexed_sizes": _indexed,
    "index_sizes": _indexed,
    "first_unlike": lambda a, b: _first(_unlike, zip(a, b)),
    "first_integral": lambda tensors: _first(lambda t: t.dtype.kind != "f", tensors),
    "are_numbers": lambda tensors, dtype: all(
        t.size == 1 and t.dtype.name == dtype for t in tensors
    ),
    "is_meta": lambda device: False,
    "or_else": lambda value, otherwise: otherwise if value is None else value,
    "or_else.int": lambda value, otherwise: otherwise if value is None else value,
    "logical": lambda dtype: "uint8" if dtype == "uint8" else "bool",
    "widened": lambda dtype: "float32" if dtype in ("float16", "bfloat16") else dtype,
    "inferred": lambda name, shape, numel: _inferred(shape, numel),
    "flattened": lambda s, a, b: (
        [*s[:a], prod(s[a : b % len(s) + 1]), *s[b % len(s) + 1 :]] if s else [1]
    ),
    "swapped": _swapped,
    "ordered": lambda dims, rank: [_wrap(d, rank) for d in dims],
    "permuted": lambda list_, order: [list_[d] for d in order],
    "moved": _moved,
    "expanded_sizes": _expanded_sizes,
    "squeezed": _squeezed,
    "squeezed.dims": _squeezed,
    "index_along": lambda index, size: index % size,
    "clamped": _clamped,
    "repeated": _repeated,
    "padded_by": _padded_by,
    "raised": lambda tensors, rank: [_raised(t, rank) for t in tensors],
    "columns": lambda tensors: [t.reshape(t.size, 1) if t.ndim < 2 else t for t in tensors],
    "pieces": lambda self, dim, bounds: np.split(self, bounds[1:-1], dim),
    "unbound": lambda self, dim, count: [self.take(i, dim) for i in range(count)],
    "all_expanded": lambda tensors: np.broadcast_arrays(*tensors),
    "steps": lambda size, step: [*range(0, size, step), size] if size else [0, 0],
    "sections": lambda size, count: [
        i * (size // count) + min(i, size % count) for i in range(count + 1)
    ],
    "sums": lambda list_, total: [0, *itertools.accumulate(list_)],
    "cuts": lambda indices, size: [0, *(_clamped(i, 0, size) for i in indices), size],
    "stacked": lambda tensors, dim: list(np.stack(tensors, dim).shape),
    "matmul_sizes": _matmul,
    "einsum_sizes": _einsum,
    "counted": lambda start, end, step: max(ceil((end - start) / step), 0),
    "number_dtype": lambda n: (
        "bool" if isinstance(n, bool) else "int64" if isinstance(n, int) else "float32"
    ),
    "default_dtype": lambda: "float32",
}
_OF_DTYPES = {
    "common_dtype": _common_dtype,
    "promoted": lambda dtypes, a, b: dtypes["promotions"][a][b],
    "accumulated": _accumulated,
    "inexact": lambda dtypes, dtype: dtype if _category(dtypes, dtype) == "floating" else "float32",
    "fits": _fits,
    "least_counted": _least,
    "largest_counted": _largest,
    "is_floating": lambda dtypes, dtype: _category(dtypes, dtype) == "floating",
    "is_integral": lambda dtypes, dtype: _category(dtypes, dtype).endswith("integer"),
    "is_common": lambda dtypes, dtype: dtype in dtypes["groups"]["all"],
    "is_common_floating": lambda dtypes, dtype: dtype in dtypes["groups"]["floating"],
    "item_size": lambda dtypes, dtype: _info(dtypes, dtype)["bytes"],
}
FUNCTIONS = {name: _plain(function) for name, function in _OF_SIZES.items()} | _OF_DTYPES
