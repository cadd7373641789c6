"""How many floating-point operations operators take, by the shapes of their arguments.

A product of (m, k) and (k, n) counts 2 m n k: a multiplication and an addition for each term.
"""

from math import prod

_WORDS = {2: "two", 3: "three", 4: "four"}


def _check_sizes(who, sizes, **shapes):
    """That shapes are lists of as many sizes as are named.

    Raises:
        AssertionError: one is not.
    """
    count = len(sizes.split(", "))
    for name, shape in shapes.items():
        if not isinstance(shape, list | tuple) or len(shape) != count:
            raise AssertionError(
                f"{who}: expected {_WORDS[count]} sizes as {name} ({sizes}), got {shape!r}"
            )


def mm_flop(a_shape, b_shape, *args, out_shape=None, **kwargs):
    """Of a product of two matrices.

    Raises:
        AssertionError: the shapes do not go together.
    """
    _check_sizes("matmul", "rows, columns", a_shape=a_shape, b_shape=b_shape)
    (m, k), (k2, n) = a_shape, b_shape
    if k != k2:
        raise AssertionError(f"matmul: inner dimensions must match (k == k2), got {k} and {k2}")
    return 2 * m * n * k


def addmm_flop(self_shape, a_shape, b_shape, *args, **kwargs):
    """Of a product that is added to something, without the sum."""
    return mm_flop(a_shape, b_shape)


def bmm_flop(a_shape, b_shape, *args, **kwargs):
    """Of the products of two batches of matrices.

    Raises:
        AssertionError: the shapes do not go together.
    """
    _check_sizes("bmm", "batch, rows, columns", a_shape=a_shape, b_shape=b_shape)
    (b, m, k), (b2, k2, n) = a_shape, b_shape
    if b != b2:
        raise AssertionError(f"bmm: batch dimensions must match (b == b2), got {b} and {b2}")
    if k != k2:
        raise AssertionError(f"bmm: inner dimensions must match (k == k2), got {k} and {k2}")
    return 2 * b * m * n * k


def baddbmm_flop(self_shape, a_shape, b_shape, *args, **kwargs):
    """Of products that are added to something, without the sums."""
    return bmm_flop(a_shape, b_shape)


def conv_flop_count(x_shape, w_shape, out_shape, transposed=False):
    """Of a convolution: its weight once for each place of the output, or of the input of a transposed one.

    Args:
        x_shape: of the input, with its batch.
        w_shape: of the weight.
        out_shape: of the result.
        transposed: whether the convolution is.
    """
    places = (x_shape if transposed else out_shape)[2:]
    return 2 * x_shape[0] * prod(places) * prod(w_shape)


def conv_flop(
    x_shape,
    w_shape,
    _bias,
    _stride,
    _padding,
    _dilation,
    transposed,
    *args,
    out_shape=None,
    **kwargs,
):
    """Of a convolution, without its bias."""
    return conv_flop_count(x_shape, w_shape, out_shape, transposed=transposed)


def conv_backward_flop(
    grad_out_shape,
    x_shape,
    w_shape,
    _bias,
    _stride,
    _padding,
    _dilation,
    transposed,
    _output_padding,
    _groups,
    output_mask,
    out_shape,
    **kwargs,
):
    """Of the gradients of a convolution, which are convolutions: of the input with the weight transposed
    the other
    way, of the weight with the batch in the place of the channels."""
    count = 0
    if output_mask[0]:
        count += conv_flop_count(grad_out_shape, w_shape, out_shape[0], not transposed)
    if output_mask[1]:
        first, second = (grad_out_shape, x_shape) if transposed else (x_shape, grad_out_shape)
        count += conv_flop_count(_swapped(first), _swapped(second), _swapped(out_shape[1]))
    return count


def _swapped(shape):
    return [shape[1], shape[0], *shape[2:]]


# The sizes of what attention is given.
_OF_ATTENTION = "batch, heads, length, width"


def _heads(query_shape, key_shape, who):
    b, heads, queries, width = query_shape
    shared = key_shape[1]
    if heads < shared or heads % shared != 0:
        raise AssertionError(
            f"{who}: query heads ({heads}) must be a multiple of key/value heads ({shared})"
        )
    return b * heads, queries, width


def sdpa_flop_count(query_shape, key_shape, value_shape):
    """Of attention: scores, and the sums that they weigh. Masks save nothing.

    Raises:
        AssertionError: the shapes do not go together.
    """
    shapes = {"query_shape": query_shape, "key_shape": key_shape, "value_shape": value_shape}
    _check_sizes("sdpa_flop_count", _OF_ATTENTION, **shapes)
    same = key_shape[:3] == value_shape[:3] and query_shape[0] == key_shape[0]
    if not (same and query_shape[3] == key_shape[3]):
        raise AssertionError(
            "sdpa_flop_count: query/key/value shapes are incompatible: "
            f"q={query_shape}, k={key_shape}, v={value_shape}"
        )
    n, queries, width = _heads(query_shape, key_shape, "sdpa_flop_count")
    keys, values = key_shape[2], value_shape[3]
    scores = bmm_flop((n, queries, width), (n, width, keys))
    return scores + bmm_flop((n, queries, keys), (n, keys, values))


def sdpa_flop(query_shape, key_shape, value_shape, *args, out_shape=None, **kwargs):
    """Of attention as one operator."""
    return sdpa_flop_count(query_shape, key_shape, value_shape)


def sdpa_backward_flop_count(grad_out_shape, query_shape, key_shape, value_shape):
    """Of the gradients of attention as one operator, which computes the scores anew: five products.

    Raises:
        AssertionError: the shapes do not go together.
    """
    shapes = {"query_shape": query_shape, "key_shape": key_shape, "value_shape": value_shape}
    _check_sizes("sdpa_backward_flop_count", _OF_ATTENTION, grad_out_shape=grad_out_shape, **shapes)
    n, queries, width = _heads(query_shape, key_shape, "sdpa_backward_flop_count")
    keys, values = key_shape[2], value_shape[3]
    if (
        grad_out_shape[0] != query_shape[0]
        or query_shape[0] != key_shape[0]
        or key_shape[:3] != value_shape[:3]
    ):
        raise AssertionError("sdpa_backward_flop_count: batch/heads mismatch among tensors")
    if width != key_shape[3] or tuple(grad_out_shape[1:]) != (query_shape[1], queries, values):
        raise AssertionError(
            "sdpa_backward_flop_count: grad_out/value/key/query shapes are incompatible"
        )
    return 2 * n * queries * keys * (3 * width + 2 * values)


def sdpa_backward_flop(
    grad_out_shape, query_shape, key_shape, value_shape, *args, out_shape=None, **kwargs
):
    """Of the gradients of attention as one operator."""
    return sdpa_backward_flop_count(grad_out_shape, query_shape, key_shape, value_shape)


# By the name of the operator.
FORMULAS = {
    "mm": mm_flop,
    "addmm": addmm_flop,
    "bmm": bmm_flop,
    "baddbmm": baddbmm_flop,
    "convolution": conv_flop,
    "convolution_backward": conv_backward_flop,
    "_scaled_dot_product_flash_attention_for_cpu": sdpa_flop,
    "_scaled_dot_product_flash_attention_for_cpu_backward": sdpa_backward_flop,
}
