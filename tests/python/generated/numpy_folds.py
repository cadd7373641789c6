"""What expressions that fold give, in NumPy: arguments brought side by side, folds along axes that are kept
as 1. Independent of every kernel."""

import math

import numpy as np
import numpy_functions


def _product(x, axes):
    return np.prod(x, axis=axes, keepdims=True)


def _variance(x, axes, correction):
    n = math.prod(x.shape[d] for d in axes)
    squares = np.square(x - np.mean(x, axis=axes, keepdims=True))
    return np.sum(squares, axis=axes, keepdims=True) / np.maximum(np.float64(n - correction), 0)


def _log_sum_exp(x, axes):
    x = x if x.dtype.kind == "f" else x.astype(np.float64)
    largest = _extreme(np.max, -math.inf)(x, axes)
    shift = np.where(np.isinf(largest), 0, largest)
    return np.log(np.sum(np.exp(x - shift), axis=axes, keepdims=True)) + shift


def _extreme(function, start):
    def fold(x, axes):
        whole = np.iinfo(np.int64)
        of_nothing = start if x.dtype.kind == "f" else whole.min if start < 0 else whole.max
        x = x if x.dtype.kind == "f" else x.astype(np.int64)
        return function(x, axis=axes, keepdims=True, initial=of_nothing)

    return fold


def _place_of(function):
    """The place that a function of one axis finds, in row-major order of all axes."""

    def fold(x, axes):
        kept = [d for d in range(x.ndim) if d not in axes]
        rows = x.transpose(*kept, *axes).reshape(*(x.shape[d] for d in kept), -1)
        found = function(rows, -1) if rows.shape[-1] else np.zeros(rows.shape[:-1])
        return np.expand_dims(found, axes)

    return fold


def _first(truths, axis):
    return np.where(truths.any(axis), truths.argmax(axis), truths.shape[axis])


_FOLDS = {
    "sum": lambda x, axes: np.sum(x, axis=axes, keepdims=True),
    "prod": _product,
    "max": _extreme(np.max, -math.inf),
    "min": _extreme(np.min, math.inf),
    "mean": lambda x, axes: np.mean(x, axis=axes, keepdims=True),
    "var": _variance,
    "std": lambda x, axes, correction: np.sqrt(_variance(x, axes, correction)),
    "logsumexp": _log_sum_exp,
    "first": _place_of(lambda x, axis: _first(x != 0, axis)),
    "argmax": _place_of(np.argmax),
    "argmin": _place_of(np.argmin),
}


def _of_what_is_given(function):
    """Of an argument that is not there (`weight == none ? x : x * weight`) nothing is computed: select()
    leaves it out."""
    return lambda *operands: None if any(o is None for o in operands) else function(*operands)


class Folds:
    """The functions of expressions, and folds along the axes of one call."""

    def __init__(self, axes, shape):
        self._axes = axes
        self._shape = shape

    def __getattr__(self, name):
        function = getattr(numpy_functions, name)
        return function if name == "select" else _of_what_is_given(function)

    def extent(self):
        return np.float64(math.prod(self._shape[d] for d in self._axes))

    def place(self):
        """Where an element lies along the folded axes, in row-major order."""
        sizes = [self._shape[d] if d in self._axes else 1 for d in range(len(self._shape))]
        return np.arange(math.prod(sizes), dtype=np.float64).reshape(sizes)

    def coordinate(self, dim):
        """Where it lies along one that is not folded."""
        rank = len(self._shape)
        sizes = [self._shape[d] if d == dim % rank else 1 for d in range(rank)] if rank else []
        return np.arange(math.prod(sizes), dtype=np.float64).reshape(sizes)

    def sum_of_rows(self, x):
        """Along all other axes: what gradients of weights are."""
        if x is None:
            return None
        rows = tuple(d for d in range(len(self._shape)) if d not in self._axes)
        return np.sum(np.broadcast_to(x, self._shape), axis=rows, keepdims=True)

    def fold(self, name, x, *numbers):
        return None if x is None else _FOLDS[name](np.asarray(x), self._axes, *numbers)


def _folded_axes(dims, rank):
    if dims is None or (isinstance(dims, list) and not dims):
        return tuple(range(rank))
    dims = dims if isinstance(dims, list) else [dims]
    return tuple(sorted({d % rank for d in dims})) if rank else ()


def _aligned(array, along, shape, axes):
    """The array with as many dimensions as the whole, 1 where it does not vary."""
    if along == "all" or array.ndim == len(shape):
        return array
    own = [d for d in range(len(shape)) if (d in axes) == (along == "folded")]
    missing = tuple(d for d in range(len(shape)) if d not in own)
    return np.expand_dims(array, missing)


def values(fold, arguments):
    """The results of a call; `arguments` are arrays in float64, and numbers."""
    whole = arguments[fold.whole]
    axes = _folded_axes(fold.over(arguments), whole.ndim)
    aligned = dict(arguments)
    for name, along in fold.axes.items():
        if arguments[name] is not None:
            aligned[name] = _aligned(arguments[name], along, whole.shape, axes)
    shape = np.broadcast_shapes(*(aligned[n].shape for n in fold.axes if aligned[n] is not None))
    with np.errstate(all="ignore"):
        found = fold.values(Folds(axes, shape), aligned)
    return [
        _result(v, a, shape, axes, fold.keepdim(arguments))
        for v, a in zip(found, fold.results, strict=True)
    ]


def _result(value, along, shape, axes, keepdim):
    kept = tuple(1 if d in axes else size for d, size in enumerate(shape))
    if along == "all":
        return np.broadcast_to(value, shape)
    if along == "folded":
        rows = tuple(d for d in range(len(shape)) if d not in axes)
        sums = tuple(1 if d in rows else size for d, size in enumerate(shape))
        return np.squeeze(np.broadcast_to(value, sums), rows)
    value = np.broadcast_to(value, kept)
    return value if keepdim else np.squeeze(value, axes)
