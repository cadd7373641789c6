"""Functions of the top module that call several operators."""

import itertools
import math
import warnings

import opweave
from opweave import _C
from opweave._arguments import are_ints as _are_ints
from opweave._arguments import expect_ints as _expect_ints
from opweave._arguments import expect_tensors as _expect_tensors
from opweave._arguments import takes as _takes
from opweave._autocast_functions import computed_in as _computed_in
from opweave._every_example import drawn_for as _drawn_for
from opweave._every_example import every_example as _every_example
from opweave._every_example import same_number as _same_number
from opweave._overridable import make_overridable as _make_overridable
from opweave._results import into as _into

__all__ = [
    *("bincount", "block_diag", "broadcast_shapes", "cartesian_prod", "cdist"),
    *("combinations", "meshgrid", "multinomial", "unravel_index"),
]


def _listed(tensors):
    """The tensors of a call with several, or with one sequence of them."""
    only = tensors[0] if len(tensors) == 1 else None
    return list(only) if isinstance(only, (list, tuple)) else list(tensors)


# --- grids and products ----------------------------------------------------------------------------------
def meshgrid(*tensors, indexing=None):
    """Vectors as coordinates of a grid: a tensor of the grid's shape for each.

    Args:
        tensors: vectors or numbers, or one sequence of them.
        indexing: "ij" for the vectors' own order, "xy" with the first two dimensions swapped; without it
            "ij", and a warning.

    Raises:
        RuntimeError: no vectors, another indexing, a tensor of two dimensions, different dtypes.
    """
    tensors = _listed(tensors)
    if indexing is None:
        indexing = "ij"
        warnings.warn(
            "meshgrid: in an upcoming release of PyTorch the indexing argument will be required",
            stacklevel=2,
        )
    _expect_tensors("meshgrid", tensors)
    if not isinstance(indexing, str):
        raise TypeError(
            f"meshgrid(): argument 'indexing' must be str, not {type(indexing).__name__}"
        )
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    for t in tensors:
        if t.dim() > 1:
            raise RuntimeError(
                f"meshgrid(): expected scalar or vector tensors, but got one of {t.dim()}-D"
            )
        if t.dtype != tensors[0].dtype or t.device != tensors[0].device:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype and device")
    if indexing not in ("ij", "xy"):
        raise RuntimeError(
            f"meshgrid: indexing must be one of 'xy' or 'ij', but received: {indexing}"
        )
    swap = indexing == "xy" and len(tensors) >= 2
    if swap:
        tensors[:2] = tensors[1::-1]
    shape = [t.numel() for t in tensors]
    ones = [1] * len(shape)
    grids = [
        t.reshape([*ones[:i], -1, *ones[i + 1 :]]).expand(shape) for i, t in enumerate(tensors)
    ]
    if swap:
        grids[:2] = grids[1::-1]
    return tuple(grids)


def cartesian_prod(*tensors):
    """All combinations of one element of each vector, as rows; of one vector, itself."""
    tensors = _listed(tensors)
    _expect_tensors("cartesian_prod", tensors)
    for t in tensors:
        if t.dim() != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(t.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    grids = meshgrid(*tensors, indexing="ij")
    return opweave.stack([g.flatten() for g in grids], 1)


@_takes(input="Tensor", r="int", with_replacement="bool")
def combinations(input, r=2, with_replacement=False):
    """All choices of r elements of a vector, in order, as rows."""
    if input.dim() != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return input.new_empty(0)
    places = opweave.arange(input.numel(), device=input.device)
    grids = meshgrid(*[places] * r, indexing="ij")
    keep = opweave.ones_like(grids[0], dtype=opweave.bool)
    for low, high in itertools.pairwise(grids):
        keep &= low <= high if with_replacement else low < high
    return opweave.stack([input[g[keep]] for g in grids], 1)


def block_diag(*tensors):
    """Matrices along the diagonal of one matrix of zeros; vectors are rows."""
    _expect_tensors("block_diag", tensors)
    blocks = [opweave.atleast_2d(t) for t in tensors] or [opweave.empty(1, 0)]
    for i, t in enumerate(blocks):
        if t.dim() != 2:
            raise RuntimeError(
                f"block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has {t.dim()} "
                "dimensions"
            )
    width, left, rows = sum(t.size(1) for t in blocks), 0, []
    for t in blocks:
        rows.append(opweave.nn.functional.pad(t, (left, width - left - t.size(1))))
        left += t.size(1)
    return opweave.cat(rows)


def broadcast_shapes(*shapes):
    """The shape to which shapes broadcast, without making tensors of them.

    Raises:
        RuntimeError: shapes that do not broadcast, or with a negative size; what is no shape.
    """
    for shape in shapes:
        if not _are_ints(shape):
            raise RuntimeError(
                "Input shapes should be of type ints, a tuple of ints, or a list of ints, got "
                f"{shape!r}"
            )
    sizes = [tuple(s) if isinstance(s, (tuple, list)) else (s,) for s in shapes]
    parts = [_C.empty(s, device="meta") for s in sizes]
    return opweave.broadcast_tensors(*parts)[0].shape if parts else opweave.Size([])


_COMPUTE_MODES = (
    "use_mm_for_euclid_dist_if_necessary",
    "use_mm_for_euclid_dist",
    "donot_use_mm_for_euclid_dist",
)


# --- distances ------------------------------------------------------------------------------------------
_DIFFERENCES = 1 << 22  # that are in memory at a time


@_takes(x1="Tensor", x2="Tensor", p="float")
@_computed_in("fp32", "fp32")
def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """(*, P, R): the p-norms of the differences of all rows of x1 (*, P, M) and x2 (*, R, M).

    Raises:
        RuntimeError: less than two dimensions, rows of different length, a negative p.
    """
    if compute_mode not in _COMPUTE_MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    for name, x in (("X1", x1), ("X2", x2)):
        if x.dim() < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {x.dim()}D")
    if x1.size(-1) != x2.size(-1):
        raise RuntimeError(
            f"X1 and X2 must have the same number of columns. X1: {x1.size(-1)} X2: {x2.size(-1)}"
        )
    if not p >= 0:
        raise RuntimeError(f"cdist only supports non-negative p values, but got {p}")
    # By parts: the differences of all would be as many as the distances times the columns.
    of_one_row = x2.size(-2) * x1.numel() // max(x1.size(-2), 1)
    rows = max(_DIFFERENCES // max(of_one_row, x2.numel(), 1), 1)
    others = x2.unsqueeze(-3)
    parts = [opweave.norm(part.unsqueeze(-2) - others, p, -1) for part in x1.split(rows, -2)]
    return parts[0] if len(parts) == 1 else opweave.cat(parts, -2)


# --- counting and drawing -------------------------------------------------------------------------------
@_takes(input="Tensor", weights="Tensor", minlength="int")
def bincount(input, weights=None, minlength=0):
    """How often each number occurs in a vector of numbers from 0 on, or the sums of their weights."""
    if input.is_floating_point():
        raise NotImplementedError(
            f"bincount(): not implemented for dtype {input.dtype}; expected integers"
        )
    if input.dim() != 1 or (input.numel() and int(_every_example(input).min()) < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if minlength < 0:
        raise RuntimeError(f"minlength should be >= 0, but got {minlength}")
    if weights is not None and weights.shape != input.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    length = minlength
    if input.numel():
        length = _same_number("bincount", (input.max().long() + 1).clamp_min(minlength))
    if weights is None:
        weights = opweave.ones_like(input, dtype=opweave.int64)
    elif weights.dtype != opweave.float32:
        weights = weights.double()
    return weights.new_zeros(length).index_add(0, input.long(), weights)


@_takes(input="Tensor", num_samples="int", replacement="bool")
def multinomial(input, num_samples, replacement=False, *, generator=None, out=None):
    """Places of a vector, or of each row of a matrix, drawn by the weights that stand there.

    Raises:
        RuntimeError: weights that are no floats, negative, infinite, NaN or all zero; more samples
            than places without replacement.
    """
    _check_weights(input, num_samples, replacement)
    if out is not None and out.dtype is not opweave.int64:
        raise RuntimeError(f"multinomial expects Long tensor out, got: {out.dtype}")
    if replacement and num_samples > 1:
        drawn = _drawn_again(input, num_samples, generator)
    else:
        # The smallest of exponential times at these rates: the first event of several.
        shape = _drawn_for("multinomial", input)
        times = opweave.empty_like(shape)
        rates = input / times.exponential_(1.0, generator=generator)
        drawn = rates.argmax(-1, True) if num_samples == 1 else rates.topk(num_samples)[1]
    return drawn if out is None else _into("multinomial", out, drawn)


def _check_weights(input, num_samples, replacement):
    if input.dim() not in (1, 2):
        raise RuntimeError(f"prob_dist must be 1 or 2 dim, but got {input.dim()}")
    if not input.is_floating_point():
        raise RuntimeError(
            "multinomial only supports floating-point dtypes for input, got: " + str(input.dtype)
        )
    if num_samples <= 0:
        raise RuntimeError(f"cannot sample n_sample <= 0 samples, but got {num_samples}")
    if not replacement and num_samples > input.size(-1):
        raise RuntimeError(
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement"
        )
    rows = input.size(0) if input.dim() == 2 else 1
    if rows and input.size(-1) == 0:
        raise RuntimeError(
            f"cannot sample from no weights: prob_dist has the shape {tuple(input.shape)}"
        )
    if input.numel() == 0 or input.is_meta:
        return
    every = _every_example(input)
    if not bool(((every >= 0) & (every < math.inf)).all()):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not bool((every.sum(-1) > 0).all()):
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")


def _drawn_again(input, num_samples, generator):
    """Each sample is the first place whose share of the sum of weights is above a uniform number."""
    _drawn_for("multinomial", input)
    shares = input.double().cumsum(-1)
    shares = shares / shares[..., -1:]
    uniform = opweave.rand(
        (*input.shape[:-1], num_samples),
        dtype=opweave.float64,
        generator=generator,
        device=input.device,
    )
    places = opweave.searchsorted(shares, uniform, right=True)
    return places.clamp_max(input.size(-1) - 1)


def unravel_index(indices, shape):
    """The coordinates, a tensor for each dimension, of places in a tensor of a shape that is read in order.

    Raises:
        ValueError: a shape with negative sizes, or without places for indices that there are.
        TypeError: indices that are no integers.
    """
    if not isinstance(indices, opweave.Tensor):
        raise TypeError(
            f"unravel_index: expected a tensor of indices, but got {type(indices).__name__}"
        )
    if indices.is_floating_point() or indices.dtype is opweave.bool:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, (tuple, list)):
        _expect_ints("unravel_index", "shape", shape)
        shape = (shape,)
    shape = tuple(shape)
    for n in shape:
        if isinstance(n, opweave.Tensor) or not hasattr(n, "__index__"):
            raise TypeError(
                f"unravel_index(): expected 'shape' sequence to only contain ints, but got "
                f"{type(n).__name__}"
            )
    if any(n < 0 for n in shape):
        raise ValueError(f"'shape' cannot have negative values, but got {shape}")
    if indices.numel() and any(n == 0 for n in shape):
        raise ValueError(
            f"'shape' cannot have zero dimensions when 'indices' is non-empty, but got {shape}"
        )
    indices, found = indices.long(), []
    for n in reversed(shape):
        found.append(indices % n)
        indices = indices // n
    return tuple(found[::-1])


_make_overridable(globals())
