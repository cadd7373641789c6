"""Further functions of the top module that call several operators: statistics, places, parts, small ones."""

from reference.samples import REAL, distinct, index, positive, real
from reference.table import Table

table = Table()

A = {"a": real(3, 4, 5)}
UNLIKE = {"a": distinct(3, 4, 5)}  # of equal elements either may have the gradient
for code in (
    *("ow.quantile(a, 0.3)", "a.quantile(0.5, 1)", "ow.quantile(a, 0.25, -1, True)"),
    "ow.quantile(a, ow.tensor([0.0, 0.4, 1.0], dtype=a.dtype), dim=1)",
    "ow.quantile(a, ow.tensor([0.1, 0.9], dtype=a.dtype), keepdim=True)",
    *(
        f"ow.quantile(a, 0.37, 2, interpolation='{i}')"
        for i in ("lower", "higher", "nearest", "midpoint")
    ),
    "ow.nanquantile(a.masked_fill(a > 0.5, float('nan')), 0.6, 1)",
    "ow.quantile(a.masked_fill(a > 1.5, float('nan')), 0.6, 1)",
):
    table.case("composite", code, dtypes=REAL, tol=8, **UNLIKE)
for code in (
    *("ow.cov(a[0])", "ow.cov(a[0, 0])", "a[0].cov(correction=0)", "ow.corrcoef(a[0])"),
    "ow.cov(a[0], fweights=ow.tensor([1, 2, 0, 1, 3]))",
    "ow.cov(a[0], aweights=ow.tensor([1.0, 0.5, 2.0, 1.0, 0.25], dtype=a.dtype))",
    *("ow.trapezoid(a)", "ow.trapezoid(a, dx=0.5, dim=0)", "ow.trapz(a, a[0, 0].cumsum(0))"),
    *("ow.trapezoid(a, a.cumsum(1), dim=1)", "ow.cumulative_trapezoid(a, dx=2.0)"),
    *("ow.cummax(a, 0)", "a.cummax(-1)", "ow.cummin(a, 1)", "ow.cummax(a.round(), 2)"),
    *("ow.logcumsumexp(a, 1)", "a.logcumsumexp(-1)"),
    *("ow.cross(a[:, :3, 0], a[:, :3, 1])", "ow.cross(a, a.flip(0))", "a.cross(a * a, 0)"),
    *("ow.kron(a[0, :2], a[0, 2:])", "ow.kron(a[0, 0], a[0])", "ow.float_power(a.abs(), 2.5)"),
    *("ow.ldexp(a, ow.tensor([1, -2, 0, 3, 2]))", "ow.angle(a)", "a.adjoint()", "ow.real(a)"),
    *("ow.isreal(a)", "a.is_conj(), a.is_neg()", "ow.conj(a)", "ow.vander(a[0, 0])"),
    *("ow.vander(a[0, 0], 3, True)", "ow.renorm(a, 2, 0, 1.5)", "a.renorm(1, -1, 0.5)"),
    *("ow.select_scatter(a, a[:, 0] * 2, 1, 2)", "ow.slice_scatter(a, a[:, :2], 1, 1, 4, 2)"),
    "ow.diagonal_scatter(a, a[:, 0, :4], 0, 1, 2)",
    "ow.put(a[0], ow.tensor([1, 3, 19]), a[1, 0, :3])",
    *(
        "ow.prelu(a, a[0, :, 0])",
        "ow.max_pool3d(a.unsqueeze(0), 2)",
        "ow.channel_shuffle(a.transpose(0, 1), 3)",
    ),
):
    table.case("composite", code, dtypes=REAL, tol=8, **A)
for code in (
    *("ow.histc(a, 4)", "ow.histc(a, 5, -1, 1)", "a.histc(3, 0, 2)", "ow.histogram(a, 4)"),
    *("ow.histogram(a, 3, range=(-1.0, 2.0), density=True)", "ow.frexp(a)", "ow.frexp(a * 0)"),
    *("ow.histogram(a * 0, 4)", "ow.histogram(a * 0 + 3, 2)", "ow.histc(a * 0, 4)"),
    "ow.histogram(a, ow.tensor([-1.0, 0.0, 0.25, 2.0], dtype=a.dtype), weight=a.abs())",
):
    table.case("composite", code, grad=False, tol=8, **A)

for code in (
    *(
        "a[0].clone().fill_diagonal_(7)",
        "a[:, :3, :3].clone().fill_diagonal_(7)",
        "a.mT[0].clone().fill_diagonal_(7)",
    ),
    *("ow.zeros(7, 3).fill_diagonal_(1, wrap=True)", "ow.zeros(7, 3).fill_diagonal_(1)"),
    *("a.clone().renorm_(2, 1, 1.0)", "a.clone().put_(ow.tensor([0, 7, 0]), a[0, 0, :3], True)"),
    *(
        "a.clone().ldexp_(ow.tensor(2))",
        "a.double().float_power_(2)",
        "a.clone().apply_(lambda x: x + 1)",
    ),
    *("a.clone().map_(a * 2, lambda x, y: x * y)", "ow.empty(0, dtype=a.dtype).set_(a[1]).shape"),
    "ow.empty(0, dtype=a.dtype).set_(a.untyped_storage(), 2, (3, 2), (4, 1))",
    "a.clone().scatter_reduce_(0, a.long() * 0, a, 'amax')",
):
    table.case("composite", code, grad=False, **A)

SORTED = {"a": real(3, 4), "b": positive(9, grad=False), "c": positive(3, 6, grad=False)}
for code in (
    *("ow.searchsorted(b.sort().values, a)", "ow.searchsorted(b.sort().values, 0.9)"),
    *(
        "ow.searchsorted(c.sort().values, a.abs())",
        "ow.searchsorted(c.sort().values, c, right=True)",
    ),
    *(
        "ow.searchsorted(c.sort().values, c, side='right')",
        "ow.searchsorted(c, a, sorter=c.argsort())",
    ),
    *(
        "ow.bucketize(a, b.sort().values)",
        "ow.bucketize(b, b.sort().values, right=True, out_int32=True)",
    ),
    *("ow.bucketize(0.7, b.sort().values)", "ow.searchsorted(b[:0], a)"),
    "ow.searchsorted(b.sort().values, ow.tensor([float('nan'), float('inf')], dtype=b.dtype))",
    "ow.unravel_index(ow.tensor([[1, 7], [11, 4]]), (3, 4))",
):
    table.case("composite", code, grad=False, **SORTED)

PARTS = {"a": real(3, 5), "s": real(2, 4), "i": index(3, 2, 4), "n": index(3, 4)}
for reduce in ("sum", "mean", "amax", "amin"):
    for own in (True, False):
        code = f"ow.scatter_reduce(a, 0, i, s, '{reduce}', include_self={own})"
        table.case("composite", code, tol=4, **PARTS)
        code = f"a.index_reduce(0, n, a[[0, 1, 2, 0]] * 0.5, '{reduce}', include_self={own})"
        if reduce != "sum":
            table.case("composite", code, grad=False, tol=4, **PARTS)

WHOLE = {"m": index(30, 6), "n": index(20, 6)}
for code in ("ow.gcd(m, n)", "ow.lcm(m, n)", "m.gcd(-n)", "ow.gcd(m, m * 0)"):
    table.case("composite", code, **WHOLE)
for name in ("hann", "hamming", "blackman", "bartlett", "kaiser"):
    for arguments in ("5", "6, periodic=False", "1", "0", "4, dtype=ow.float64"):
        table.case("composite", f"ow.{name}_window({arguments})", tol=4)
for arguments in (
    "7, True, 3.0",
    "7, False, -3.0",
    "4, True, 300.0, dtype=ow.float64",
    "5, True, 0",
):
    table.case("composite", f"ow.kaiser_window({arguments})", tol=8)
for name in (
    *("digamma", "entr", "erf", "erfc", "exp2", "expit", "expm1", "gammaln", "i0", "i0e", "i1"),
    *("i1e", "log1p", "ndtr", "psi", "sinc"),
):
    table.case("composite", f"ow.special.{name}(p)", tol=8, p=positive(3, 4))
for code in (
    *("special.erfinv(a / 4)", "special.softmax(a, 1)", "special.log_softmax(a, 0)"),
    *("special.logsumexp(a, 1)", "special.logit(a.sigmoid())", "special.polygamma(1, a.exp())"),
    *(
        "special.round(a)",
        "special.xlogy(a, a.exp())",
        "special.i1(a * 30)",
        "special.i0e(a * 900)",
    ),
):
    table.case("composite", f"ow.{code}", tol=8, a=real(3, 4))
# Whole numbers that floats do not tell apart.
for arguments in ("rtol=0, atol=0", "rtol=0, atol=0.5", "atol=0"):
    code = f"ow.isclose(w, w + ow.tensor([0, 1, 2, -1]), {arguments})"
    table.case("composite", code, grad=False, w=index(4, 1))
    code = code.replace("w, w", "w + 2**53, w + 2**53")
    table.case("composite", code, grad=False, w=index(4, 1))

for wrong in (
    *("ow.quantile(a, 1.5)", "ow.quantile(a, 0.5, 7)", "ow.quantile(a.long(), 0.5)"),
    *("ow.quantile(a, 0.5, interpolation='cubic')", "ow.quantile(a[:0], 0.5)", "ow.cov(a)"),
    *("ow.cov(a[0], fweights=ow.ones(3).long())", "ow.histc(a, 0)", "ow.histc(a, 3, 2, 1)"),
    *("ow.cummax(a, 5)", "ow.cross(a, a, 1)", "ow.trapezoid(a, ow.ones(3))", "ow.vander(a)"),
    *("ow.searchsorted(a, 0.5)", "ow.searchsorted(a[0, 0], a, side='what')", "ow.bucketize(a, a)"),
    *("ow.searchsorted(a[0, 0], a, right=True, side='left')", "ow.gcd(a, a)", "ow.hann_window(-1)"),
    *("ow.scatter_reduce(a[0], 0, a[0].long() * 0, a[0], 'median')", "ow.frexp(a.long())"),
    *("ow.select_scatter(a, a, 0, 0)", "ow.unravel_index(a, (3,))", "ow.renorm(a, 0, 0, 1.0)"),
    *("ow.put(a, ow.tensor([0, 1]), a[0, 0])", "ow.hann_window(4, dtype=ow.int64)"),
    *("ow.hann_window(4.0)", "ow.hann_window(True)", "ow.hann_window(4, 1)", "ow.hann_window('4')"),
    *("ow.hann_window(4, what=1)", "ow.hann_window(4, requires_grad=2)", "ow.kaiser_window(-1)"),
    *("ow.kaiser_window(4, True, '12')", "ow.hamming_window(4, True, None)", "ow.hann_window()"),
):
    table.case("composite", wrong, grad=False, raises=True, **A)
