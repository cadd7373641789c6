"""Infinities, NaN and huge numbers where arithmetic would make something else of them: extremes that share a
gradient, places that are read, parts that are counted."""

from reference.samples import F64, REAL, lit
from reference.table import Table

table = Table()

# --- this value, that gradient ---------------------------------------------------------------------------
# Where the input takes no part and equals the extreme, PyTorch shares the gradient with it nevertheless:
# that is not asked here.
INDEX = "i = ow.tensor([0, 1, 1])"
for name in ("scatter_reduce", "index_reduce"):
    for first, second in (
        ("[0, inf, 1]", "[inf, 2, -inf]"),
        ("[0, -inf, 1]", "[-inf, 2, -inf]"),
        ("[inf, inf, 1]", "[inf, 3, 3]"),
    ):
        for reduce in ("amax", "amin"):
            call = f"ow.{name}(x, 0, i, y, '{reduce}')"
            values = f"{INDEX}; x, y = ow.tensor({first}, dtype=dt), ow.tensor({second}, dtype=dt)"
            grads = "x.requires_grad_(); y.requires_grad_()"
            table.case(name, f"{values}; {call}", dtypes=REAL, grad=False)
            table.case(
                name,
                f"{values}; {grads}; r = {call}; r.sum().backward(); (r.detach(), x.grad, y.grad)",
                dtypes=REAL,
                grad=False,
            )
    apart = (
        f"{INDEX}; x, y = ow.tensor([5, nan, 1.], dtype=dt), ow.tensor([inf, nan, 1.], dtype=dt)"
    )
    table.case(
        name,
        f"{apart}; x.requires_grad_(); y.requires_grad_(); "
        f"r = ow.{name}(x, 0, i, y, 'amax', include_self=False); r.sum().backward(); "
        "(r.detach(), x.grad, y.grad)",
        dtypes=REAL,
        grad=False,
    )
for variance in ("inf", "0.0", "1e-30", "nan", "2.0"):
    table.case(
        "gaussian_nll_loss",
        f"x, t, v = (ow.tensor([n], dtype=dt, requires_grad=True) for n in (1.0, 2.5, {variance})); "
        "r = F.gaussian_nll_loss(x, t, v); r.backward(); (r.detach(), x.grad, t.grad, v.grad)",
        dtypes=REAL,
        grad=False,
    )

# --- places between elements -----------------------------------------------------------------------------
PLACES = (
    "[nan, 0]",
    "[0, nan]",
    "[inf, 0.2]",
    "[0.2, -inf]",
    "[nan, nan]",
    "[3e38, 0]",
    "[inf, -inf]",
)
IMAGE = {"a": lit([[[[1.0, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]]], grad=False)}
for padding in ("zeros", "border", "reflection"):
    for mode in ("nearest", "bilinear", "bicubic"):
        for place in PLACES:
            # What a huge number becomes under reflection depends on the last digit of a quotient.
            if "3e38" in place and (padding == "reflection" or mode == "bicubic"):
                continue
            for align in (True, False):
                table.case(
                    "grid_sample",
                    f"F.grid_sample(a, ow.tensor([[[{place}]]], dtype=dt), '{mode}', '{padding}', {align})",
                    dtypes=("float32",),
                    **IMAGE,
                )
    for align in (True, False):
        table.case(
            "grid_sample",
            "g = ow.tensor([[[[-1., -1], [1, 1], [0, 0], [1.5, -1.5], [-1, .25]]]], dtype=dt, "
            "requires_grad=True); "
            f"F.grid_sample(a, g, 'bilinear', '{padding}', {align}).sum().backward(); g.grad",
            dtypes=REAL,
            grad=False,
            **IMAGE,
        )
table.case(
    "grid_sample",
    "b = a.clone(); b[0, 0, 0, 0] = inf; "
    "F.grid_sample(b, ow.tensor([[[[-3., -3], [3, 0], [.9, .9]]]], dtype=dt), 'nearest', 'zeros', True)",
    dtypes=REAL,
    grad=False,
    **IMAGE,
)

# --- counts and ranks ------------------------------------------------------------------------------------
for code in (
    "ow.histc(ow.tensor([1., nan, 2, inf], dtype=dt), 4, 0, 4)",
    "ow.histc(ow.tensor([1e-45, 2e-45, 0.], dtype=dt), 2)",
    "ow.histc(ow.tensor([.1, .2, .3, .7, .9], dtype=dt), 7, 0.1, 0.9)",
    "ow.histc(ow.arange(60, dtype=dt) / 7, 13)",
    "ow.histc(ow.arange(60, dtype=dt) / 10, 60)",
    "ow.quantile(ow.tensor([inf, 1., -inf], dtype=dt), 0.5)",
    "ow.quantile(ow.tensor([nan, 1., 2], dtype=dt), 0.5)",
    "ow.nanquantile(ow.tensor([nan, nan], dtype=dt), 0.5)",
):
    table.case("counts", code, dtypes=REAL, grad=False)
for code, says in (
    ("ow.quantile(ow.ones(3), ow.tensor([nan]))", "range [0, 1]"),
    ("ow.quantile(ow.ones(3), nan)", "range [0, 1]"),
    ("F.interpolate(ow.ones(1, 1, 8), scale_factor=inf)", "overflow"),
    ("F.interpolate(ow.ones(1, 1, 8), scale_factor=nan)", "overflow"),
    ("F.interpolate(ow.ones(1, 1, 8), scale_factor=1e300)", "overflow"),
    ("ow.histc(ow.tensor([inf, 0.]), 4)", "not finite"),
    ("ow.histc(ow.ones(3), 4, nan, 1)", "not finite"),
    ("ow.arange(0, nan)", "unsupported range"),
    ("ow.arange(0, inf)", "unsupported range"),
    ("ow.multinomial(ow.tensor([1., nan]), 1)", "nan"),
    ("ow.multinomial(ow.tensor([1., inf]), 1)", "nan"),
):
    table.case("refused", code, dtypes=F64, raises=True, says=says, grad=False)

# --- what does not count ----------------------------------------------------------------------------
table.case(
    "masks",
    "x = ow.tensor([[inf, 1, 2], [1, -inf, 0], [0, 2, inf]], dtype=dt, requires_grad=True); "
    "t = ow.tensor([[0, -1, 1], [0, 2, -1], [0, 1, -1]]); "
    "r = F.multilabel_margin_loss(x, t, reduction='none'); r[:2].sum().backward(); (r.detach(), x.grad)",
    dtypes=REAL,
    grad=False,
)
table.case(
    "masks",
    "x = ow.tensor([[[0., .5, 1]], [[0, 1, 2]], [[nan, inf, -inf]]], dtype=dt, requires_grad=True); "
    "r = F.ctc_loss(x, ow.tensor([[1]]), ow.tensor([2]), ow.tensor([1])); r.backward(); (r.detach(), x.grad)",
    dtypes=REAL,
    grad=False,
)
table.case(
    "masks",
    "x = ow.tensor([[inf, 1], [1, 1], [0, -inf]], dtype=dt, requires_grad=True); "
    "r = F.pdist(x, 0.); r.sum().backward(); (r.detach(), x.grad)",
    dtypes=REAL,
    grad=False,
)
