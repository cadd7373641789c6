"""Maps from any matrices to ones with orthonormal columns: all of products and sums, so that autograd,
batches and transforms take them as they are.

Sources: M. Lezcano-Casado, "Trivializations for Gradient-Based Optimization on Manifolds", 2019; N. Higham,
"The Scaling and Squaring Method for the Matrix Exponential Revisited", 2005; G. Golub, C. Van Loan, "Matrix
Computations", chapter 5 (reflections).
"""

from opweave import _C, linalg
from opweave._dtype_info import finfo
from opweave._grad_mode import no_grad
from opweave.functional import where
from opweave.nn.init import _orthonormal
from opweave.nn.modules.module import Module

_NORM = 0.5  # of matrices of which a series is summed


def matrix_exp(matrix):
    """The exponential of square matrices [..., n, n]: a series of a 2**s-th part of them, squared s times."""
    squarings = 0
    while matrix.numel() and matrix.detach().abs().sum(-1).max().item() / 2**squarings > _NORM:
        squarings += 1
    part = matrix / 2**squarings
    eye = _C.eye(matrix.size(-1), dtype=matrix.dtype, device=matrix.device)
    found = eye
    for i in range(_terms(matrix.dtype), 0, -1):
        found = eye + part @ found / i
    for _ in range(squarings):
        found = found @ found
    return found


def _terms(dtype):
    """How many a series of matrices of `_NORM` takes until they are lost in rounding."""
    term, count, least = 1.0, 0, finfo(dtype).eps / 16
    while term > least:
        count += 1
        term *= _NORM / count
    return count


def cayley(skew):
    """(I - A/2)^-1 (I + A/2) of skew-symmetric matrices A."""
    eye = _C.eye(skew.size(-1), dtype=skew.dtype, device=skew.device)
    return _inverse(eye - skew / 2) @ (eye + skew / 2)


def _inverse(matrix):
    """Of square matrices. What decompositions give is a constant; each of two steps of Newton's doubles how
    many derivatives are right, none of which a repeated singular value disturbs."""
    with no_grad():
        u, s, vh = linalg.svd(matrix)
        found = vh.mT @ (u / s.unsqueeze(-2)).mT
    for _ in range(2):
        found = 2 * found - found @ matrix @ found
    return found


def reflected(vectors):
    """The first k columns of the product of k reflections, each at a column of [..., n, k] below the
    diagonal, with a one on it."""
    n, k = vectors.shape[-2:]
    eye = _C.eye(n, k, dtype=vectors.dtype, device=vectors.device)
    vectors = vectors.tril(-1) + eye
    scales = 2 / (vectors * vectors).sum(-2)
    found = eye
    for i in reversed(range(k)):
        v = vectors[..., i].unsqueeze(-1)
        found = found - scales[..., i, None, None] * v @ (v.mT @ found)
    return found


def reflections(matrix):
    """Below the diagonal the vectors of the reflections whose product `matrix` [..., n, k] is when each
    column is multiplied by the sign on the diagonal."""
    rest = matrix.clone()
    found = _C.zeros_like(matrix)
    for i in range(matrix.size(-1)):
        column = rest[..., i:, i]
        head, length = column[..., :1], column.norm(dim=-1, keepdim=True)
        signed = where(head < 0, length, -length)  # of the other sign: nothing cancels
        apart = column[..., 1:].abs().sum(-1, keepdim=True) > 0
        v = where(apart, column / where(apart, head - signed, 1), 0)
        v[..., 0] = 1
        scale = 2 / (v * v).sum(-1)[..., None, None]
        rows = rest[..., i:, :]
        rest[..., i:, :] = rows - scale * v.unsqueeze(-1) @ (v.unsqueeze(-2) @ rows)
        found[..., i:, i] = v
        # A reflection turns a column onto the axis; its sign is what it has there.
        found[..., i, i] = rest[..., i, i].sign()
    return found


def _orthonormal_all(matrices):
    """Orthonormal columns that span those of each matrix."""
    flat = matrices.reshape(-1, *matrices.shape[-2:])
    return _C.stack([_orthonormal(matrix) for matrix in flat]).reshape(matrices.shape)


def _is_orthonormal(matrix):
    n, k = matrix.shape[-2:]
    eye = _C.eye(k, dtype=matrix.dtype, device=matrix.device)
    eps = 10 * n * finfo(matrix.dtype).eps
    return _C.allclose(matrix.mT @ matrix, eye, atol=eps)


MAPS = ("matrix_exp", "cayley", "householder")


class _Orthogonal(Module):
    """The parametrization: `orthogonal_map` of MAPS, of what lies below the diagonal.

    Where it is trivialized, `base` is a matrix that the answer is multiplied with, so that training begins
    with any orthogonal matrix.
    """

    def __init__(self, weight, orthogonal_map, *, use_trivialization=True):
        super().__init__()
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X):  # noqa: N803
        """[..., n, k] with orthonormal columns, or rows where these are fewer, of one of any values."""
        wide = X.size(-2) < X.size(-1)
        tall = X.mT if wide else X
        if self.orthogonal_map == "householder":
            signs = tall.diagonal(dim1=-2, dim2=-1).detach().trunc()
            found = reflected(tall) * signs.unsqueeze(-2)
        else:
            found = self._rotated(tall.tril())
        if hasattr(self, "base"):
            found = self.base @ found
        return found.mT if wide else found

    def _rotated(self, below):
        n, k = below.shape[-2:]
        if n != k:
            zeros = below.new_zeros((*below.shape[:-2], n, n - k))
            below = _C.cat([below, zeros], dim=-1)
        function = matrix_exp if self.orthogonal_map == "matrix_exp" else cayley
        return function(below - below.mT)[..., :k]

    @no_grad()
    def right_inverse(self, Q):  # noqa: N803
        """What `forward` makes the orthonormal Q of; of any other Q, the nearest that it can.

        Raises:
            ValueError: another shape. NotImplementedError: a map without a base that only gives rotations.
        """
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. "
                f"Got a tensor of shape {Q.shape}."
            )
        wide = Q.size(-2) < Q.size(-1)
        tall = Q.mT if wide else Q
        if hasattr(self, "base"):
            self.base = self._as_base(tall)
            return _C.zeros_like(Q) - _C.eye(*Q.shape[-2:], dtype=Q.dtype, device=Q.device)
        if self.orthogonal_map != "householder":
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                "use_trivialization=False."
            )
        found = reflections(tall)
        return found.mT if wide else found

    def _as_base(self, tall):
        """An orthogonal matrix [..., n, n] that begins with the columns of [..., n, k]."""
        n, k = tall.shape[-2:]
        if n == k:
            return tall.clone() if _is_orthonormal(tall) else _orthonormal_all(tall)
        more = tall.new_empty((*tall.shape[:-2], n, n - k)).normal_()
        return _orthonormal_all(_C.cat([tall, more], dim=-1))
