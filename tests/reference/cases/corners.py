"""Corners of functions that call several operators: what PyTorch's own samples of its operators ask for."""

from reference.samples import F64, REAL, index, real
from reference.table import Table, error_cases

table = Table()

# --- where a result is written to -------------------------------------------------------------------------
A = {"a": real(3, 4)}
for code in (
    *("angle(a", "conj_physical(a", "cross(a[:, :3], a[:, 1:]", "kron(a[:2], a", "diff(a, 2, 0"),
    *("float_power(a.abs(), 2.5", "ldexp(a, ow.tensor([1, -2, 0, 3])", "renorm(a, 2, 0, 0.5"),
    *("slice_scatter(a, a[:, :2], 1, 0, 4, 2", "narrow_copy(a, 1, 1, 2", "isin(a, a[1]"),
    *("linalg.cross(a[:, :3], a[:, 1:]", "histc(a, 4", "quantile(a, 0.3", "logcumsumexp(a, 1"),
    "scatter_reduce(a, 0, (a * 0).long(), a, 'amax'",
    *("searchsorted(a[0].sort().values, a", "nn.functional.softshrink(a, 0.25"),
    *("nn.functional.hardshrink(a, 0.25", "nn.functional.avg_pool3d(a.view(1, 1, 3, 2, 2), 2"),
    *("bucketize(a, a[0].sort().values", "logspace(0, 2, 5", "gcd(a.long(), (a * 3).long()"),
    "lcm((a * 2).long(), (a * 3).long()",
):
    fresh = f"o = ow.empty(0, dtype=ow.{code}).dtype); r = ow.{code}, out=o); (r is o, o)"
    table.case("out", fresh, dtypes=F64, grad=False, **A)
for code in ("cummax(a, 1", "cummin(a, 0", "frexp(a", "histogram(a, 3"):
    kinds = f"[ow.empty(0, dtype=v.dtype) for v in ow.{code})]"
    table.case("out", f"o = {kinds}; r = ow.{code}, out=o); (r[0] is o[0], *r)", grad=False, **A)
error_cases(
    table,
    "error",
    """
    ow.kron(a, a, out=ow.empty(0, dtype=ow.int64))  # can't be cast
    ow.kron(a.requires_grad_(), a, out=ow.empty(0))  # don't support automatic differentiation
    ow.kron(a, a, out=3)  # argument 'out' must be Tensor, not int
    ow.frexp(a, out=ow.empty(0))  # argument 'out' must be tuple of Tensors, not Tensor
    ow.multinomial(a.abs(), 2, out=ow.empty(0, dtype=ow.float64))  # Expected out tensor to have dtype long
    ow.nonzero(a, as_tuple=True, out=ow.empty(0, dtype=ow.int64))  # nonzero()
    a.long().ldexp_(ow.tensor([1, 2, 3, 4]))  # can't be cast to the desired output type
    a[:, :1].long().gcd_(a.long())  # output with shape
    ow.gcd(a.long(), 3)  # argument 'other' must be Tensor, not int
    ow.lcm(3, a.long())  # argument 'input' must be Tensor, not int
    ow.ldexp(a, 2)  # argument 'other' must be Tensor, not int
    ow.float_power(2, 3)  # received an invalid combination of arguments
    ow.linalg.cross(a[:, :3], a[:, :1])  # must have length 3. Got 3 and 1
    ow.rot90(a, 1, (0,))  # expected total rotation dims == 2
    ow.rot90(a, 1, (1, 1))  # expected rotation dims to be different
    ow.rot90(a[0])  # expected total dims >= 2
    ow.select_scatter(a, a[0], 1, 0)  # select_scatter
    F.prelu(a, a)  # scalar or 1D tensor, but got: ndim = 2
    F.prelu(a, a[0].float())  # Type promoting not supported
    F.max_unpool2d(a[None], a[None], 2)  # should be type int64
    F.max_unpool3d(a[None, None], a[None, None].long(), 2, stride=0)  # strides should be greater than zero
    F.adaptive_avg_pool3d(a[None, None], (1, -1, 2))  # greater than or equal to 0
    F.adaptive_avg_pool3d(a[None, None], ())  # must have 1 or 3 elements
    F.adaptive_max_pool3d(a[None], 2)  # adaptive_max_pool3d(): Expected 4D or 5D tensor
    F.multi_margin_loss(a, ow.tensor([0, 1]))  # inconsistent target size, expected 3
    F.multi_margin_loss(a, ow.tensor([0, 1, 2]), weight=a)  # weight must be one-dimensional
    F.multi_margin_loss(a, ow.tensor([0, 1, 2]), weight=a[0, :3])  # inconsistent weight size, expected 4
    F.multi_margin_loss(a[:, :0], ow.tensor([0, 1, 2]))  # Expected non-empty vector or matrix
    """,
    raises=True,
    grad=False,
    **A,
)

# --- sizes, dtypes and values -------------------------------------------------------------------------------
for code in (
    *("ow.cov(a[:1])", "ow.corrcoef(a[:1])", "ow.cov(a[:, :1].mT)", "ow.rot90(a, 2, (0, -1))"),
    *("ow.diff(a, 0, prepend=a, append=a)", "ow.diff(a, 7)", "a.diff(0)"),
    *("ow.select_scatter(a.mT, a[0], 1, 2)", "ow.diagonal_scatter(a[:, ::2], a[0, :2])"),
    *("ow.slice_scatter(a[:, ::2], a[:, :1], 1, 1, 2)", "ow.gradient(a, edge_order=2)"),
    "ow.gradient(a, dim=0)",
    *("F.pixel_shuffle(a.view(1, 3, 2, 2), 1)", "F.pixel_unshuffle(a.view(3, 2, 2), 1)"),
    "F.pixel_shuffle(a[:0].view(0, 4, 1, 1), 2)",
    *("F.prelu(a[0, 0], a[1, :1])", "F.prelu(a, a[0, 0])", "ow.ldexp(a, ow.tensor(3))"),
    *("F.multi_margin_loss(a[0, 0], ow.tensor(0))", "F.multi_margin_loss(a[0], ow.tensor([2]))"),
    "F.multilabel_margin_loss(a[0, 0], ow.tensor(0))",
    "F.multilabel_margin_loss(a[0, 0], ow.tensor([-1]), reduction='none')",
    "F.local_response_norm(a[:0].view(0, 2, 2), 2)",
    "F.interpolate(a.view(1, 1, 3, 2, 2), size=(2, 3, 1), mode='area')",
    "F.max_pool3d(a.view(1, 1, 3, 2, 2), (2, 1, 2), 1)",
    "F.adaptive_avg_pool3d(a.view(1, 3, 2, 2), (2, None, 1))",
    "F.adaptive_max_pool3d(a.view(1, 3, 2, 2), (2, 1, 2))",
    "F.max_pool3d(a.view(1, 3, 2, 2, 1).contiguous(memory_format=ow.channels_last_3d), 1)",
):
    table.case("corner", code, dtypes=REAL, view=True, tol=4, **A)
for code in (
    *("ow.histogram(a[:0], 2)", "ow.logspace(0.3, 1.7, 4, dtype=ow.int64)", "ow.logspace(1, 3, 1)"),
    *("ow.linspace(4.3, 1.9, 7, dtype=ow.int64)", "ow.linspace(-4.3, 1.9, 5, dtype=ow.int32)"),
    *("ow.tensor(True).sum_to_size(())", "a.new_ones(()).sum_to_size(())"),
    *("F.avg_pool3d((a * 4).long().view(1, 1, 3, 2, 2), 2)", "F.softsign((a * 3).long())"),
    *("F.tanhshrink((a * 3).long())", "F.local_response_norm((a * 9).long().view(1, 3, 4), 2)"),
    "ow.ldexp(a.bfloat16(), ow.tensor([1, 2, 3, 4], dtype=ow.int32))",
    "c = a.clone(); v = c._version; c.as_strided_((2,), (1,)); c._version - v",
    "c = a.clone(); v = c._version; c.conj_physical_(); c._version - v",
    "c = a.clone(); v = c._version; F.dropout2d(c, 0.0, True, True); c._version - v",
    "ow.conj_physical(a) is a",
    "F.multi_margin_loss(a[0], ow.tensor([2]), reduction='none')",
    "F.margin_ranking_loss(*(a * 4).long(), reduction='none')",
    "e = a[0].sort().values; ow.histogram(a, e)[1].data_ptr() == e.data_ptr()",
    # PyTorch gives the gradient of what is kept to what is written.
    "ow.as_strided_scatter(a, a[0, :2], (2,), (2,), 4)",
    "r = ow.as_strided_scatter(a[:, 1::2], a[0, :2], (2,), (3,)); (r.stride(), r)",
):
    table.case("corner", code, grad=False, **A)

# --- dtypes that are refused, or are computed in others -----------------------------------------------------
error_cases(
    table,
    "dtype",
    """
    a.long().cauchy_()  # cauchy_(): not implemented for dtype
    a.long().log_normal_()  # log_normal_(): not implemented for dtype
    (a > 0).geometric_(0.5)  # geometric_(): not implemented for dtype
    ow.cov(a > 0)  # bool dtype is not supported
    ow.bincount(a[0])  # bincount(): not implemented for dtype
    ow.trapezoid(a > 0)  # trapezoid: received a bool input
    ow.nanmean(a.long())  # floating point or complex dtype but got
    F.softshrink(a.long())  # not implemented for
    F.prelu(a.long(), a[0].long())  # "prelu" not implemented for 'Long'
    F.rrelu(a.long(), training=True)  # rrelu not implemented for 'Long'
    F.interpolate(a.long().view(1, 3, 2, 2), 3, mode='bilinear')  # not implemented for
    F.grid_sample(a.long().view(1, 3, 2, 2), a[:2].long().view(1, 2, 2, 2))  # not implemented for Long
    """,
    raises=True,
    grad=False,
    **A,
)
error_cases(
    table,
    "dtype",
    "ow.put(a, ow.tensor([1], dtype=ow.int32), a[0, :1])  # long tensor",
    raises=True,
    grad=False,
    **A,
)
for code in (
    *("ow.trapezoid((a * 4).long())", "ow.cumulative_trapezoid((a * 4).int(), dx=3)"),
    *("ow.unravel_index(ow.tensor([5, 7], dtype=ow.int8), (200, 4))", "ow.trapz(a.long(), dx=2)"),
    *("F.rms_norm((a * 300).half(), (4,))", "F.alpha_dropout(a > 0, 1.0, True)"),
    *(
        f"F.interpolate((a * 60).abs().byte().view(1, 3, 2, 2), (3, 5), mode='{mode}', align_corners={c})"
        for mode in ("bilinear", "bicubic")
        for c in (True, False)
    ),
):
    table.case("dtype", code, grad=False, **A)

# --- gradients of what is written in place ------------------------------------------------------------------
for call in (
    *("ldexp_(ow.tensor([1, -2, 0, 3]))", "renorm_(2, 0, 0.5)", "float_power_(2)"),
    *("scatter_reduce_(0, (a * 0).long(), a, 'prod')", "put_(ow.tensor([1, 5]), a[0, :2])"),
    "index_reduce_(0, ow.tensor([0, 0, 2]), a, 'prod')",
):
    table.case("in place", f"c = a * 2; c.{call}; c", dtypes=F64, tol=4, **A)

# --- between the elements of volumes ------------------------------------------------------------------------
VOLUME = {"a": real(2, 2, 3, 4, 3), "b": real(2, 2, 3, 2, 3)}
for padding in ("zeros", "border", "reflection"):
    for aligned in (True, False):
        code = f"F.grid_sample(a, b, 'bicubic', '{padding}', {aligned})"
        table.case("corner", code, tol=100, **VOLUME)
table.case("corner", "F.fractional_max_pool3d(a[:0], 1, 1).shape", grad=False, **VOLUME)

WHOLE = {"m": index(30, 6)}
table.case("corner", "ow.gcd(m, m.int() * 2)", grad=False, **WHOLE)
