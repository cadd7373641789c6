"""Calls of operators that no sample, formula or kernel reaches; values of their types do not suit them."""

from values import Array, Call, Items, Text, as_value

_MASK = (True, True, True)
_BATCH, _VECTOR, _COLUMN = Array((2, 3)), Array((3,)), Array((2, 1))
_ORDER = Array((2,), "int64", [0, 1])
_IMAGE, _SMALL = Array((1, 1, 3, 3)), Array((1, 1, 2, 2))
_PLACES = Array((1, 1, 2, 2), "int64", [0, 1, 2, 3])
_TAPS = Array((1, 1, 2), "int64", [0, 1])
_GROUP = Text("group()")  # of two ranks

# Operator and overload -> positional arguments.
_CALLS = {
    "_ctc_loss.default": (
        *(Array((4, 2, 3)), Array((2, 2), "int64", [1, 2, 2, 0])),
        *(Array((2,), "int64", [4, 3]), Array((2,), "int64", [2, 1]), 0, 2, False),
    ),
    "_crossed_select.default": (Array((1, 2, 2, 1)), _ORDER, _ORDER),
    "_fill_linspace_.default": (Array((4,)), 0.0, 1.0),
    "_fill_range_.default": (Array((4,)), 0, 2),
    "_flat_place.default": (_ORDER, _ORDER, 2),
    "_frexp_exponent.default": (_ORDER, _ORDER, 52, 2047, 1022, 52),
    "_frexp_mantissa.default": (_ORDER, 52, 2047, 1022),
    "_index.default": (_BATCH, Items([_ORDER])),
    "_index_put_.default": (_BATCH, Items([_ORDER]), _BATCH, False),
    # Into double precision, whatever was given: in place that is what it has to be.
    "float_power_.Tensor_Tensor": (Array((2, 3), "float64"), _BATCH),
    "float_power_.Tensor_Scalar": (Array((2, 3), "float64"), 3),
    "_nextafter.default": (_ORDER, _ORDER, -(2**63), 0x7FF0 << 48),
    "_pair_distances.default": (_BATCH, 2.0),
    "_scaled_dot_product_flash_attention_for_cpu.default": (_SMALL, _SMALL, _SMALL, 0.0, True),
    "_scaled_dot_product_flash_attention_for_cpu_backward.default": (
        *(_SMALL, _SMALL, _SMALL, _SMALL, _SMALL, Array((1, 1, 2)), 0.0, True),
    ),
    "_unsafe_view.default": (_BATCH, [3, 2]),
    "convolution_backward.default": (
        *(_SMALL, _IMAGE, _SMALL, [1], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, _MASK),
    ),
    "embedding_grad_output_gradient.default": (Array((4, 3)), _ORDER, -1, False),
    "gather_along.default": (_BATCH, 1, _ORDER, False),
    "linalg_svd_jvp.default": (Array((2, 2)), Array((2, 2)), Array((2,)), Array((2, 2))),
    "native_batch_norm_backward.default": (
        *(_BATCH, _BATCH, _VECTOR, None, None, _VECTOR, _VECTOR, True, 1e-5, _MASK),
    ),
    "native_group_norm_backward.default": (
        *(Array((2, 3, 4)), Array((2, 3, 4)), _COLUMN, _COLUMN, _VECTOR, 2, 3, 4, 1, _MASK),
    ),
    "native_layer_norm_backward.default": (
        *(_BATCH, _BATCH, [3], _COLUMN, _COLUMN, _VECTOR, _VECTOR, _MASK),
    ),
    "nll_loss_forward.default": (_BATCH, _ORDER, _VECTOR, 1, -100),
    "plane_gather.default": (_IMAGE, _PLACES),
    "rms_norm_rows.default": (_BATCH, [3], _VECTOR, 0.5),
    "rms_norm_rows_backward.default": (_BATCH, _BATCH, [3], _VECTOR, 0.5, [True, True]),
    "weighted_reads.default": (_SMALL, _TAPS, Array((1, 1, 2))),
    "weighted_reads_backward.default": (_SMALL, _TAPS, Array((1, 1, 2)), 2),
    "weighted_reads_products.default": (_SMALL, _SMALL, _TAPS),
    # What each rank has of the sizes, or gets, and the rows before they are shared out or joined.
    "dist_all_gather.default": (_BATCH, _GROUP, [2, 2], 4),
    "dist_all_to_all.default": (_BATCH, _GROUP, [1, 1], [1, 1], 2),
    "dist_reduce_scatter.default": (_BATCH, _GROUP, [1, 1], 1),
}


def _value(x):
    return x if isinstance(x, (Array, Items, Text)) else as_value(x)


def calls():
    """Each of them once."""
    return [
        Call(f"ow.ops.{name}", [_value(v) for v in values], {}, ["touch(r)"])
        for name, values in _CALLS.items()
    ]
