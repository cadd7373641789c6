"""Small functions of the top module: products, powers, and what complex numbers would need."""

import math

import opweave
from opweave._every_example import every_example
from opweave._results import named, with_out

__all__ = [
    *("adjoint", "angle", "conj", "conj_physical", "cross", "float_power", "frexp", "gcd"),
    *("is_conj", "is_neg", "is_same_size", "isreal", "kron", "lcm", "ldexp", "real"),
    *("resize_as_", "resolve_conj", "resolve_neg", "vander"),
]
_Frexp = named("frexp", "mantissa", "exponent")


def _expect_tensors(name, **arguments):
    for argument, value in arguments.items():
        if not isinstance(value, opweave.Tensor):
            raise TypeError(
                f"{name}(): argument '{argument}' must be Tensor, not {type(value).__name__}"
            )


# --- without complex numbers -----------------------------------------------------------------------------
def adjoint(input):
    """The last two dimensions swapped."""
    return input.mT


def real(input):
    """The input: there are no complex numbers."""
    return input


def conj(input):
    """The input: there are no complex numbers."""
    return input


@with_out
def conj_physical(input, *, out=None):
    """The input: there are no complex numbers."""
    return input


def resolve_conj(input):
    """The input: there are no complex numbers."""
    return input


def resolve_neg(input):
    """The input: there are no tensors that are negative lazily."""
    return input


def is_conj(input):
    """Never: there are no complex numbers."""
    return False


def is_neg(input):
    """Never: there are no tensors that are negative lazily."""
    return False


def isreal(input):
    """True for all elements: there are no complex numbers."""
    return opweave.ones_like(input, dtype=opweave.bool)


@with_out
def angle(input, *, out=None):
    """Pi for negative numbers, zero for others, NaN for NaN."""
    values = input if input.is_floating_point() else input.to(opweave.get_default_dtype())
    turned = opweave.where(
        values < 0, opweave.full_like(values, math.pi), opweave.zeros_like(values)
    )
    return opweave.where(values.isnan(), values, turned)


def is_same_size(input, other):
    """Whether two tensors have one shape."""
    return input.shape == other.shape


# --- in place -----------------------------------------------------------------------------------------------
def resize_as_(input, the_template, *, memory_format=None):
    """Gives a tensor the size of another."""
    return input.resize_(the_template.shape)


# --- products and powers -----------------------------------------------------------------------------------
@with_out
def cross(input, other, dim=None, *, out=None):
    """The vector products along a dimension of size 3: the first such one for None.

    Raises:
        RuntimeError: no such dimension.
    """
    if dim is None:
        dim = next((d for d, n in enumerate(input.shape) if n == 3), None)
        if dim is None:
            raise RuntimeError("cross(): no dimension of size 3 in input")
    a, b = opweave.broadcast_tensors(input, other)
    if input.size(dim) != 3 or other.size(dim) != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {input.size(dim)} and "
            f"{other.size(dim)}"
        )
    a1, a2 = a.roll(-1, dim), a.roll(-2, dim)
    return a1 * b.roll(-2, dim) - a2 * b.roll(-1, dim)


@with_out
def kron(input, other, *, out=None):
    """The Kronecker product: each element of the input times all of the other."""
    dims = max(input.dim(), other.dim())
    a = input.reshape([1] * (dims - input.dim()) + list(input.shape))
    b = other.reshape([1] * (dims - other.dim()) + list(other.shape))
    for d in range(dims):
        a, b = a.unsqueeze(2 * d + 1), b.unsqueeze(2 * d)
    found = a * b
    return found.reshape([found.size(2 * d) * found.size(2 * d + 1) for d in range(dims)])


@with_out
def float_power(input, exponent, *, out=None):
    """input ** exponent in float64.

    Raises:
        TypeError: two numbers.
    """
    if not isinstance(input, opweave.Tensor):
        _expect_tensors("float_power", exponent=exponent)
    wide = opweave.float64
    base = input.to(wide) if isinstance(input, opweave.Tensor) else input
    power = exponent.to(wide) if isinstance(exponent, opweave.Tensor) else float(exponent)
    return opweave.pow(
        opweave.tensor(float(base), dtype=wide) if not isinstance(base, opweave.Tensor) else base,
        power,
    )


@with_out
def ldexp(input, other, *, out=None):
    """input * 2 ** other, of the dtype to which both promote; floats for integers."""
    _expect_tensors("ldexp", input=input, other=other)
    dtype = opweave.result_type(input, other)
    found = input * opweave.pow(2.0, other)
    return found.to(dtype) if dtype.is_floating_point else found


@with_out
def frexp(input, *, out=None):
    """(mantissa, exponent): input = mantissa * 2 ** exponent, with mantissas from 0.5 to below 1, or 0.

    Raises:
        RuntimeError: integers.
    """
    if not input.is_floating_point():
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    values = input.detach().double()
    finite = values.isfinite() & (values != 0)
    safe = opweave.where(finite, values.abs(), opweave.ones_like(values))
    exponent = safe.log2().floor() + 1
    for _ in range(2):  # the logarithm may round up to the next power, or not
        share = safe / opweave.pow(2.0, exponent)
        exponent = exponent + (share >= 1) - (share < 0.5).to(exponent.dtype)
    exponent = opweave.where(finite, exponent, opweave.zeros_like(exponent)).to(opweave.int32)
    scale = opweave.pow(2.0, -exponent.double())
    return _Frexp((input.double() * scale).to(input.dtype), exponent)


def _check_whole(name, *tensors):
    for t in tensors:
        if t.is_floating_point() or t.dtype is opweave.bool:
            raise NotImplementedError(
                f"{name}: not implemented for dtype {t.dtype}; expected integers"
            )


@with_out
def gcd(input, other, *, out=None):
    """The greatest common divisors of integers, by Euclid's algorithm."""
    _expect_tensors("gcd", input=input, other=other)
    _check_whole("gcd", input, other)
    a, b = opweave.broadcast_tensors(input, other)
    dtype = opweave.promote_types(a.dtype, b.dtype)
    a, b = a.to(dtype).abs(), b.to(dtype).abs()
    if a.is_meta:
        return a
    while bool((every_example(b) != 0).any()):
        rest = opweave.where(
            b == 0, opweave.zeros_like(a), a % opweave.where(b == 0, opweave.ones_like(b), b)
        )
        a, b = opweave.where(b == 0, a, b), rest
    return a


@with_out
def lcm(input, other, *, out=None):
    """The least common multiples of integers."""
    _expect_tensors("lcm", input=input, other=other)
    _check_whole("lcm", input, other)
    divisor = gcd(input, other)
    safe = opweave.where(divisor == 0, opweave.ones_like(divisor), divisor)
    return (input // safe * other).abs()


def vander(x, N=None, increasing=False):  # noqa: N803 - PyTorch's name
    """The powers of a vector, one in each of N columns (as many as elements for None).

    Raises:
        RuntimeError: not one dimension, or a negative number of columns.
    """
    if x.dim() != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    columns = x.numel() if N is None else N
    if columns < 0:
        raise RuntimeError("N must be non-negative.")
    dtype = x.dtype if x.is_floating_point() else opweave.int64
    powers = opweave.arange(columns, device=x.device)
    found = opweave.pow(x.to(dtype).unsqueeze(1), powers if increasing else powers.flip(0))
    return found.to(dtype)
