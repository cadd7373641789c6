"""Pools of volumes and back, bags, alignments, reading of images, lazy layers, computed weights."""

from reference.cases.modules import FACTS, FLAT, IMAGE, RAMP, SEQUENCE
from reference.samples import REAL, index, prob, real
from reference.table import Table

table = Table()

VOLUME = {"a": real(2, 3, 4, 5, 6)}
POOLS = {
    **dict.fromkeys(("nn.MaxPool3d(2)", "nn.MaxPool3d((2, 3, 2), stride=1, padding=1)"), VOLUME),
    "nn.MaxPool3d(2, stride=(1, 2, 3), dilation=2, return_indices=True)": VOLUME,
    "nn.MaxPool3d(3, stride=2, padding=1, ceil_mode=True)": VOLUME,
    **dict.fromkeys(("nn.AvgPool3d(2)", "nn.AvgPool3d((2, 3, 2), stride=1, padding=1)"), VOLUME),
    "nn.AvgPool3d(3, stride=2, padding=1, ceil_mode=True)": VOLUME,
    "nn.AvgPool3d(3, stride=2, padding=1, ceil_mode=True, count_include_pad=False)": VOLUME,
    "nn.AvgPool3d(2, divisor_override=3)": VOLUME,
    **dict.fromkeys(("nn.AdaptiveAvgPool3d(2)", "nn.AdaptiveAvgPool3d((3, None, 1))"), VOLUME),
    "nn.AdaptiveMaxPool3d((2, 3, 4), return_indices=True)": VOLUME,
    "nn.LPPool1d(2, 3, stride=2)": SEQUENCE,
    "nn.LPPool2d(3, (2, 3), ceil_mode=True)": IMAGE,
    "nn.LPPool3d(2, 2)": VOLUME,
}
for make, inputs in POOLS.items():
    call = f"layer = ow.{make}; "
    table.case("layer", f"{call}layer(a)", name=make, dtypes=REAL, tol=4, **inputs)
    table.case("layer", FACTS.format(make), name=f"{make} facts")
for n, inputs in ((1, SEQUENCE), (2, IMAGE), (3, VOLUME)):
    pool, unpool = f"ow.nn.MaxPool{n}d(2, return_indices=True)", f"ow.nn.MaxUnpool{n}d(2)"
    if n < 3:
        table.case("layer", f"{unpool}(*{pool}(a))", name=f"MaxUnpool{n}d", dtypes=REAL, **inputs)
    table.case(
        "layer", f"{unpool}(*{pool}(a), output_size=a.shape)", name=f"MaxUnpool{n}d size", **inputs
    )
    table.case(
        "layer", FACTS.format(f"nn.MaxUnpool{n}d(3, stride=2, padding=1)"), name=f"unpool {n}"
    )

# --- bags -------------------------------------------------------------------------------------------------
BAG = {"i": index(5, 8), "w": real(5, 3), "p": prob(8)}
OFFSETS = "o = ow.tensor([0, 2, 2, 5]); "
for mode in ("sum", "mean", "max"):
    for more in ("", ", padding_idx=1"):
        table.case("bag", f"{OFFSETS}F.embedding_bag(i, w, o, mode='{mode}'{more})", **BAG)
    # Of words beyond the last offset PyTorch says otherwise in float64, and of maxima, than in float32.
    ends = f"i, w, ow.tensor([0, 2, 2, 8]), mode='{mode}', include_last_offset=True"
    table.case("bag", f"F.embedding_bag({ends})", dtypes=("float32", "float64"), **BAG)
    table.case("bag", f"F.embedding_bag(i.view(2, 4), w, mode='{mode}')", **BAG)
table.case("bag", f"{OFFSETS}F.embedding_bag(i, w, o, mode='sum', per_sample_weights=p)", **BAG)
for make in (
    "nn.EmbeddingBag(5, 3)",
    "nn.EmbeddingBag(5, 3, mode='sum', padding_idx=-1, max_norm=1.0)",
):
    table.case("bag", FACTS.format(make), name=f"{make} facts")
for wrong in (
    "F.embedding_bag(i, w)",
    "F.embedding_bag(i, w, ow.tensor([1, 2]))",
    "F.embedding_bag(i, w, ow.tensor([0, 20]))",
    "F.embedding_bag(i.view(2, 4), w, ow.tensor([0]))",
    "F.embedding_bag(i, w, ow.tensor([0]), mode='median')",
    "F.embedding_bag(i, w, ow.tensor([0]), mode='max', per_sample_weights=p)",
):
    table.case("bag", wrong, grad=False, raises=True, **BAG)

# --- alignments and sets of labels -----------------------------------------------------------------------
SCORES = {"a": real(6, 3, 4)}
LENGTHS = (
    "n, m = ow.tensor([6, 5, 4]), ow.tensor([3, 2, 0]); "
    "t = ow.tensor([[1, 1, 2], [3, 1, 0], [1, 1, 1]]); "
)
for reduction in ("mean", "sum", "none"):
    code = f"{LENGTHS}F.ctc_loss(a.log_softmax(2), t, n, m, reduction='{reduction}')"
    table.case("loss", code, name=f"ctc {reduction}", tol=8, **SCORES)
table.case(
    "loss",
    "F.ctc_loss(a.log_softmax(2), ow.tensor([0, 1, 0, 3]), (6, 5, 4), (2, 1, 1), blank=2)",
    name="ctc of one row",
    tol=8,
    **SCORES,
)
IMPOSSIBLE = (
    "n, m = ow.tensor([2, 6, 6]), ow.tensor([3, 3, 3]); t = ow.ones(3, 3, dtype=ow.int64); "
)
for zero in (False, True):
    code = (
        f"{IMPOSSIBLE}F.ctc_loss(a.log_softmax(2), t, n, m, reduction='none', zero_infinity={zero})"
    )
    table.case("loss", code, name=f"ctc impossible {zero}", grad=zero, tol=8, **SCORES)
table.case("loss", FACTS.format("nn.CTCLoss(blank=1, zero_infinity=True)"), name="CTCLoss facts")
for wrong in (
    "F.ctc_loss(a, ow.ones(3, 3).long(), (9, 6, 6), (3, 3, 3))",
    "F.ctc_loss(a, ow.ones(3, 3).long(), (6, 6), (3, 3, 3))",
    "F.ctc_loss(a, ow.ones(3, 3).long(), (6, 6, 6), (3, 3, 3), blank=4)",
):
    table.case("loss", wrong, grad=False, raises=True, **SCORES)
MARGINS = "t = ow.tensor([[1, 0, -1, 2], [3, -1, -1, -1]]); "
for reduction in ("mean", "sum", "none"):
    code = f"{MARGINS}F.multilabel_margin_loss(a, t, reduction='{reduction}')"
    table.case("loss", code, name=f"multilabel margin {reduction}", **FLAT)
ADAPTIVE = "nn.AdaptiveLogSoftmaxWithLoss(4, 10, [2, 5], div_value=2.0, head_bias=True)"
MANY = {"a": real(6, 4), "t": index(10, 6)}
for call in ("layer(a, t)", "layer.log_prob(a)", "layer.predict(a)"):
    code = f"{RAMP}layer = ramp(ow.{ADAPTIVE}.to(a.dtype)); {call}"
    table.case("loss", code, name=f"adaptive {call}", tol=4, **MANY)
table.case("loss", FACTS.format(ADAPTIVE), name="adaptive facts")

# --- reading of images ------------------------------------------------------------------------------------
PLACES = {"a": real(2, 3, 4, 5), "g": real(2, 3, 4, 2)}
DEEP = {"a": real(2, 2, 3, 4, 5), "g": real(2, 2, 3, 2, 3)}
for mode in ("bilinear", "nearest", "bicubic"):
    for padding in ("zeros", "border", "reflection"):
        for corners in (True, False):
            # PyTorch gives grids that are rounded a gradient of zeros, we none.
            grid = "g.detach() * 0.7" if mode == "nearest" else "g * 0.7"
            code = f"F.grid_sample(a, {grid}, '{mode}', '{padding}', {corners})"
            table.case("sample", code, tol=16, **PLACES)
            if mode != "bicubic":
                table.case("sample", code, name=f"{code} of volumes", tol=16, **DEEP)
MAPS = {"m": real(2, 2, 3), "n": real(2, 3, 4)}
for corners in (True, False):
    table.case("sample", f"F.affine_grid(m, (2, 1, 3, 4), {corners})", **MAPS)
    table.case("sample", f"F.affine_grid(n, (2, 1, 3, 1, 4), {corners})", **MAPS)
for wrong in (
    "F.grid_sample(a, g, 'cubic')",
    "F.grid_sample(a, g, padding_mode='what')",
    "F.grid_sample(a[:1], g)",
    "F.grid_sample(a, g[..., :1])",
    "F.grid_sample(a.float(), g.double())",
    "F.affine_grid(g[..., 0], (2, 1, 3, 4))",
):
    table.case("sample", wrong, grad=False, raises=True, **PLACES)

# --- lazy layers --------------------------------------------------------------------------------------------
LAZY = {
    "nn.LazyLinear(3)": FLAT,
    "nn.LazyConv1d(3, 2, bias=False)": SEQUENCE,
    "nn.LazyConv2d(6, 2, groups=2)": IMAGE,
    "nn.LazyConv3d(2, 2)": VOLUME,
    "nn.LazyConvTranspose1d(3, 2, stride=2)": SEQUENCE,
    "nn.LazyConvTranspose2d(3, 2)": IMAGE,
    "nn.LazyConvTranspose3d(3, 2, bias=False)": VOLUME,
    "nn.LazyBatchNorm1d()": SEQUENCE,
    "nn.LazyBatchNorm2d(affine=False)": IMAGE,
    "nn.LazyBatchNorm3d(track_running_stats=False)": VOLUME,
    "nn.LazyInstanceNorm1d()": SEQUENCE,
    "nn.LazyInstanceNorm2d(affine=False)": IMAGE,
    "nn.LazyInstanceNorm3d()": VOLUME,
}
for make, inputs in LAZY.items():
    begin = f"{RAMP}layer = ow.{make}; before = repr(layer), list(layer.state_dict()); "
    run = "layer(a.float()); ramp(layer); "
    shown = "(before, repr(layer), type(layer).__name__, layer.eval()(a.float()))"
    table.case("lazy", begin + run + shown, name=make, grad=False, tol=8, **inputs)
LOADED = "layer = ow.nn.LazyLinear(3); layer.load_state_dict(ow.nn.Linear(4, 3).state_dict()); "
table.case("lazy", LOADED + "(layer.weight.shape, repr(layer))", name="lazy, loaded")

# --- weights that are computed ----------------------------------------------------------------------------
LAYER = f"{RAMP}layer = ramp(ow.nn.Linear(4, 3).to(a.dtype)); "
CONV = f"{RAMP}layer = ramp(ow.nn.ConvTranspose2d(4, 3, 2).to(a.dtype)); "
SHOWN = "(layer(a), [(n, p) for n, p in layer.state_dict().items()])"
GRADS = "layer(a).pow(2).sum().backward(); [p.grad for p in layer.parameters()]"
OLD = "import warnings; warnings.simplefilter('ignore'); "
NORM = "ow.nn.utils.parametrizations.weight_norm(layer"
for more in (")", ", dim=1)", ", dim=None)"):
    for begin, inputs in ((LAYER, FLAT), (CONV, IMAGE)):
        name = f"weight_norm{more} {len(begin)}"
        table.case("weight", f"{begin}{NORM}{more}; {SHOWN}", name=name, tol=4, **inputs)
        code = f"{begin}{NORM}{more}; {GRADS}"
        table.case("weight", code, name=f"{name} gradients", grad=False, tol=8, **inputs)
        code = f"{begin}{OLD}ow.nn.utils.weight_norm(layer{more}; {SHOWN}"
        table.case("weight", code, name=f"{name} old", tol=4, **inputs)
FILLED = (
    "[getattr(where, n).copy_(F.normalize(ow.arange(getattr(where, n).numel()).to(a.dtype) + 1, dim=0)) "
    "for n in names]; "
)
NEW_SPECTRAL = (
    "ow.nn.utils.parametrizations.spectral_norm(layer); where = layer.parametrizations.weight[0]; "
    f"names = '_u', '_v'; {FILLED}"
)
OLD_SPECTRAL = (
    f"ow.nn.utils.spectral_norm(layer); where, names = layer, ('weight_u', 'weight_v'); {FILLED}"
)
for begin, inputs in ((LAYER, FLAT), (CONV, IMAGE)):
    for kind, made in (("new", NEW_SPECTRAL), ("old", OLD_SPECTRAL)):
        name = f"spectral_norm {kind} {len(begin)}"
        table.case("weight", f"{begin}{made}layer(a); {SHOWN}", name=name, tol=16, **inputs)
        code = f"{begin}{made}layer.eval(); {SHOWN}"
        table.case("weight", code, name=f"{name} eval", tol=16, **inputs)
SYMMETRIC = """
class Symmetric(ow.nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).transpose(-1, -2)
    def right_inverse(self, x):
        return x.triu()
class Doubled(ow.nn.Module):
    def forward(self, x):
        return x * 2
P = ow.nn.utils.parametrize
"""
SQUARE = (
    f"{RAMP}{SYMMETRIC}layer = ramp(ow.nn.Linear(4, 4).to(a.dtype)); "
    "P.register_parametrization(layer, 'weight', Symmetric()); "
)
for steps in (
    "",
    "P.register_parametrization(layer, 'weight', Doubled()); ",
    "layer.weight = ow.ones(4, 4, dtype=a.dtype); ",
    "P.remove_parametrizations(layer, 'weight'); ",
    "P.remove_parametrizations(layer, 'weight', leave_parametrized=False); ",
    "import copy; layer = copy.deepcopy(layer); ",
    "other = ow.nn.Linear(4, 4).to(a.dtype); other.bias = layer.bias; layer = "
    "P.transfer_parametrizations_and_params(layer, other); ",
):
    facts = "P.is_parametrized(layer), P.is_parametrized(layer, 'bias'), type(layer).__name__, repr(layer)"
    code = f"{SQUARE}{steps}({facts}, P.type_before_parametrizations(layer).__name__, {SHOWN})"
    table.case("weight", code, name=f"parametrize {steps}", **FLAT)
for wrong in (
    "ow.nn.utils.parametrize.register_parametrization(layer, 'none', ow.nn.Identity())",
    "ow.nn.utils.parametrize.register_parametrization(layer, 'weight', ow.nn.Flatten(0))",
    "ow.nn.utils.parametrize.remove_parametrizations(layer, 'weight')",
    "ow.nn.utils.remove_weight_norm(layer)",
    "ow.nn.utils.remove_spectral_norm(layer)",
    "ow.nn.utils.spectral_norm(layer, n_power_iterations=0)",
    "ow.nn.utils.parametrizations.weight_norm(layer, 'none')",
):
    table.case("weight", f"layer = ow.nn.Linear(4, 3); {wrong}", grad=False, raises=True, **FLAT)

FUSED = (
    f"{RAMP}b = ramp(ow.nn.BatchNorm2d(3).double()); "
    "b.running_mean.fill_(0.5); b.running_var.fill_(2.0); "
)
table.case(
    "weight",
    f"{FUSED}c = ramp(ow.nn.Conv2d(4, 3, 2).double()).eval(); x = a.double(); "
    "f = ow.nn.utils.fuse_conv_bn_eval(c, b.eval()); (f(x), (f(x) - b(c(x))).abs().max() < 1e-9)",
    name="fuse_conv_bn_eval",
    grad=False,
    **IMAGE,
)
for make in (
    "dirac_(a.clone())",
    "dirac_(a.clone(), groups=2)",
    "orthogonal_(a.clone()).flatten(1) @ ow.nn.init.orthogonal_(a.clone()).flatten(1).t() * 0",
    "eye_(a[0, 0].clone())",
):
    table.case("weight", f"ow.nn.init.{make}", grad=False, tol=4, **IMAGE)
