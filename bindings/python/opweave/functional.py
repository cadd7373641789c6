"""Functions of the top module that take their arguments in more ways than one schema can say."""

from opweave import _C
from opweave._overridable import make_overridable as _make_overridable


def _warnings():
    import warnings

    return warnings


def _kinds():
    from opweave import _arguments  # programs start without it

    return _arguments


def atleast_1d(*tensors):
    """A tensor with at least 1 dimension; of several, or a sequence of them, a tuple."""
    return _raised(_C.atleast_1d, tensors)


def atleast_2d(*tensors):
    """A tensor with at least 2 dimensions; of several, or a sequence of them, a tuple."""
    return _raised(_C.atleast_2d, tensors)


def atleast_3d(*tensors):
    """A tensor with at least 3 dimensions; of several, or a sequence of them, a tuple."""
    return _raised(_C.atleast_3d, tensors)


def _raised(function, tensors):
    if len(tensors) == 1:
        (only,) = tensors
        if not isinstance(only, (list, tuple)):
            return function(only)
        tensors = only
    return tuple(function(t) for t in tensors)


def broadcast_tensors(*tensors):
    """The tensors, or a sequence of them, expanded to the shape that they broadcast to."""
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        (tensors,) = tensors
    return _C.broadcast_tensors(list(tensors))


def chain_matmul(*matrices, out=None):
    """The product of matrices, in the order that takes the fewest multiplications.

    Raises:
        RuntimeError: none are given, one is no matrix, or neighbours do not fit.
    """
    _warnings().warn(
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use "
        "torch.linalg.multi_dot instead, which accepts a list of two or more tensors rather than multiple "
        "parameters.",
        stacklevel=3,
    )
    if not matrices:  # no tensor says where to compute
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    return _C.chain_matmul(list(matrices), **({} if out is None else {"out": out}))


def einsum(equation, *operands):
    """Sums products of elements, as an equation such as "ij,jk->ik" says.

    The operands may be given as a sequence too, or as `einsum(a, [0, 1], b, [1, 2], [0, 2])`.
    """
    if not isinstance(equation, str):
        equation, operands = _equation_of_lists([equation, *operands])
    elif len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        (operands,) = operands
    if len(operands) > 2:
        from opweave import _einsum_order

        if _einsum_order.is_searched():
            return _einsum_order.einsum(equation, operands)
    return _C.einsum(equation, list(operands))


def _equation_of_lists(arguments):
    """The equation and the operands of a call with lists of numbers for subscripts."""
    result = "->" + _letters(arguments.pop()) if len(arguments) % 2 else ""
    operands, subscripts = arguments[0::2], arguments[1::2]
    return ",".join(map(_letters, subscripts)) + result, operands


def _letters(numbers):
    is_int = _kinds().is_int
    if not isinstance(numbers, (tuple, list)) or not all(n is ... or is_int(n) for n in numbers):
        raise TypeError(
            "einsum(): argument 'equation' must be str, or operands must be followed by lists of ints, but "
            f"got {type(numbers).__name__}"
        )
    if any(n is not ... and not 0 <= n < 52 for n in numbers):
        raise ValueError(f"einsum(): subscripts must be in range [0, 52), but got {numbers}")
    first = {True: ord("A"), False: ord("a") - 26}
    return "".join("..." if n is ... else chr(n + first[n < 26]) for n in numbers)


def equal(input, other):
    """Whether two tensors have the same shape and the same elements."""
    for name, tensor in (("input", input), ("other", other)):
        if not isinstance(tensor, _C.TensorBase):
            _kinds().expect_tensor("equal", name, tensor)
    return input.size() == other.size() and bool((input == other).all())


def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """The p-norm of all elements, or over dimensions; "fro" is the 2-norm, "nuc" the sum of the singular
    values of matrices.

    Raises:
        RuntimeError: another name, or not two dimensions for "nuc", or more than two for "fro".
    """
    options = {} if out is None else {"out": out}
    dims = dim if dim is None or isinstance(dim, (tuple, list)) else [dim]
    if isinstance(p, str) and dims is not None:
        _kinds().expect_ints("norm", "dim", dim)
    if isinstance(p, str) and not (p == "fro" and (dims is None or len(dims) <= 2)):
        dims = range(input.dim()) if dims is None else dims
        return _C._linalg.linalg_matrix_norm(input, p, list(dims), keepdim, dtype=dtype, **options)
    order = 2 if p in ("fro", None) else p
    return _C._linalg.linalg_vector_norm(input, order, dim, keepdim, dtype=dtype, **options)


def nonzero(input, *, out=None, as_tuple=False):
    """The indices of all elements that are not zero: rows, or with as_tuple a vector per dim."""
    if as_tuple is not False and as_tuple is not True:
        _kinds().expect_bool("nonzero", "as_tuple", as_tuple)
    if as_tuple:
        if out is not None:
            raise RuntimeError("nonzero() takes out or as_tuple=True, but got both")
        return tuple(_C.nonzero_numpy(input))
    return _C.nonzero(input) if out is None else _C.nonzero(input, out=out)


def _two_lists(dims):
    """The dimensions of either tensor, of a pair of lists or numbers."""
    is_pair = isinstance(dims, (list, tuple)) and len(dims) == 2
    if not is_pair or not all(isinstance(d, (int, list, tuple)) for d in dims):
        raise TypeError(
            f"tensordot(): argument 'dims' must be int or a pair of lists of ints, not {dims!r}"
        )
    return ([d] if isinstance(d, int) else list(d) for d in dims)


def tensordot(a, b, dims=2, out=None):
    """Sums products over dimensions of both: the last `dims` of one and the first of the other, or those in a
    pair of lists (a tensor holds either).

    Raises:
        RuntimeError: a number of dimensions that one of the tensors does not have.
        TypeError: no pair of lists, and no number.
    """
    if isinstance(dims, _C.TensorBase):
        dims = dims.item() if dims.numel() == 1 else dims.tolist()
    if not (isinstance(dims, int) or _kinds().is_int(dims)):
        of_a, of_b = _two_lists(dims)
    else:
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.dim(), b.dim()):
            raise RuntimeError(
                f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}, of tensors with "
                f"{a.dim()} and {b.dim()} dimensions"
            )
        of_a, of_b = list(range(-dims, 0)), list(range(dims))
    options = {} if out is None else {"out": out}
    return _C.tensordot(a, b, of_a, of_b, **options)


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The different elements, or slices along dim; which one each is, and how often each occurs."""
    if dim is None:
        found = _C._unique2(input, sorted, return_inverse, return_counts)
    else:
        found = _C.unique_dim(input, dim, sorted, return_inverse, return_counts)
    return _chosen(found, return_inverse, return_counts)


def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """One element, or slice, of each run of equal ones."""
    found = _C.unique_consecutive(input, return_inverse, return_counts, dim)
    return _chosen(found, return_inverse, return_counts)


def _chosen(found, return_inverse, return_counts):
    values, inverse, counts = found
    extra = ((inverse,) if return_inverse else ()) + ((counts,) if return_counts else ())
    return (values, *extra) if extra else values


def where(condition, *arguments, **options):
    """Elements of one tensor or another; with the condition alone, nonzero(as_tuple=True)."""
    if arguments or options:
        return _C.where(condition, *arguments, **options)
    return nonzero(condition, as_tuple=True)


_make_overridable(globals())
