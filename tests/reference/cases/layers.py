"""Layers and functions of nn beside the common ones: activations, windows, sizes of images, norms, losses."""

from reference.cases.modules import FACTS, FLAT, IMAGE, RAMP, SEQUENCE
from reference.samples import REAL, index, positive, prob, real
from reference.table import Table

table = Table()

VOLUME = {"a": real(1, 4, 3, 4, 3)}
LAYERS = {
    **dict.fromkeys(("nn.CELU(0.5)", "nn.SELU()", "nn.Mish()", "nn.Hardsigmoid()"), FLAT),
    **dict.fromkeys(("nn.Hardswish()", "nn.Hardshrink(0.75)", "nn.Softshrink()"), FLAT),
    **dict.fromkeys(("nn.Softsign()", "nn.Tanhshrink()", "nn.Threshold(0.1, 20)"), FLAT),
    **dict.fromkeys(("nn.PReLU()", "nn.PReLU(4)", "nn.RReLU().eval()"), FLAT),
    **dict.fromkeys(("nn.Dropout2d(0.0)", "nn.AlphaDropout(0.5).eval()", "nn.Softmax2d()"), IMAGE),
    **dict.fromkeys(
        ("nn.Unfold(2)", "nn.Unfold((3, 2), dilation=(1, 2), padding=1, stride=2)"), IMAGE
    ),
    "nn.Fold((3, 3), 2)": {"a": real(2, 8, 4)},
    "nn.Fold((5, 4), (3, 2), dilation=1, padding=1, stride=2)": {"a": real(2, 12, 9)},
    **dict.fromkeys(("nn.PixelShuffle(2)", "nn.ChannelShuffle(2)"), IMAGE),
    "nn.PixelUnshuffle(2)": {"a": real(2, 4, 6, 6)},
    **dict.fromkeys(("nn.Upsample(scale_factor=2)", "nn.Upsample((7, 3), mode='nearest')"), IMAGE),
    "nn.Upsample((7, 3), mode='bilinear')": IMAGE,
    "nn.Upsample(scale_factor=1.5, mode='bilinear', align_corners=True)": IMAGE,
    "nn.Upsample(scale_factor=(2, 0.5), mode='bicubic')": IMAGE,
    "nn.Upsample((7, 3), mode='bicubic', align_corners=True)": IMAGE,
    "nn.Upsample((7, 3), mode='nearest-exact')": IMAGE,
    "nn.Upsample((3, 2), mode='area')": IMAGE,
    "nn.Upsample(scale_factor=2, mode='linear')": SEQUENCE,
    "nn.Upsample((2, 5, 4), mode='trilinear')": VOLUME,
    "nn.UpsamplingNearest2d(scale_factor=2)": IMAGE,
    "nn.UpsamplingBilinear2d(size=(3, 9))": IMAGE,
    "nn.InstanceNorm2d(4)": IMAGE,
    "nn.InstanceNorm1d(4, affine=True)": SEQUENCE,
    "nn.InstanceNorm2d(4, affine=True, track_running_stats=True).eval()": IMAGE,
    "nn.RMSNorm(4)": FLAT,
    "nn.RMSNorm((5, 6), eps=1e-3, elementwise_affine=False)": IMAGE,
    "nn.LocalResponseNorm(3)": IMAGE,
    "nn.LocalResponseNorm(2, alpha=0.5, beta=0.5, k=2.0)": SEQUENCE,
    "nn.AvgPool1d(2)": SEQUENCE,
    "nn.AvgPool1d(3, stride=2, padding=1, count_include_pad=False)": SEQUENCE,
    "nn.AdaptiveAvgPool1d(3)": SEQUENCE,
    "nn.AdaptiveMaxPool1d(3)": SEQUENCE,
    "nn.AdaptiveMaxPool2d((2, 3), return_indices=True)": IMAGE,
    "nn.Conv3d(4, 2, 2, padding=1)": VOLUME,
    "nn.ConvTranspose1d(4, 2, 3, stride=2)": SEQUENCE,
    "nn.ConvTranspose3d(4, 2, 2, bias=False)": VOLUME,
    **dict.fromkeys(("nn.ZeroPad1d(1)", "nn.CircularPad1d(2)", "nn.ReflectionPad1d(1)"), SEQUENCE),
    **dict.fromkeys(("nn.ZeroPad2d((1, 2, 0, 1))", "nn.CircularPad2d(1)"), IMAGE),
    **dict.fromkeys(
        ("nn.ZeroPad3d(1)", "nn.ConstantPad3d(1, 0.5)", "nn.ReplicationPad3d(1)"), VOLUME
    ),
}
TRAINED = ("PReLU", "affine=True)", "RMSNorm(4)", "Conv")
for make, inputs in LAYERS.items():
    call = f"{RAMP}layer = ramp(ow.{make}.to(a.dtype)); "
    table.case("layer", f"{call}layer(a)", name=make, dtypes=REAL, tol=4, **inputs)
    table.case("layer", FACTS.format(make), name=f"{make} facts")
    if any(word in make for word in TRAINED):
        code = call + "layer(a).pow(2).sum().backward(); [p.grad for p in layer.parameters()]"
        table.case("layer", code, name=f"{make} gradients", grad=False, tol=4, **inputs)

TWO = {"a": real(4, 3), "b": real(4, 3)}
for make in ("nn.PairwiseDistance(1.0)", "nn.CosineSimilarity(0)", "nn.Bilinear(3, 3, 2)"):
    call = f"{RAMP}layer = ramp(ow.{make}.to(a.dtype)); "
    table.case("layer", f"{call}layer(a, b)", name=make, **TWO)
    table.case("layer", FACTS.format(make), name=f"{make} facts")

LOSSES = {
    "MarginRankingLoss(0.5)": "a, b, s",
    "HingeEmbeddingLoss()": "a, s",
    "SoftMarginLoss()": "a, s",
    "CosineEmbeddingLoss(0.25)": "a, b, s[:, 0]",
    "TripletMarginLoss()": "a, b, a * 2",
    "TripletMarginLoss(margin=2.0, p=1.0, swap=True)": "a, b, a * 2",
    "TripletMarginWithDistanceLoss(margin=0.5)": "a, b, a * 2",
    "PoissonNLLLoss()": "a, p",
    "PoissonNLLLoss(log_input=False, full=True)": "v, p * 4",
    "GaussianNLLLoss()": "a, b, v",
    "GaussianNLLLoss(full=True)": "a, b, v[:, :1]",
    "MultiLabelSoftMarginLoss()": "a, p.round()",
    "MultiMarginLoss()": "a, t",
    "MultiMarginLoss(p=2, margin=0.5)": "a, t",
}
GIVEN = {**TWO, "p": prob(4, 3, grad=False), "v": positive(4, 3), "t": index(3, 4)}
SIGNS = "s = ow.where(p > 0.4, 1.0, -1.0).to(a.dtype); "
for make, arguments in LOSSES.items():
    for reduction in ("mean", "none", "sum"):
        whole = make[:-1] + (", " if make[-2] != "(" else "") + f"reduction='{reduction}')"
        table.case("loss", f"{SIGNS}ow.nn.{whole}({arguments})", name=whole, **GIVEN)

for wrong in (
    "F.unfold(a, 9)",
    "F.fold(a[0], (3, 3), 2)",
    "F.pixel_shuffle(a, 3)",
    "F.pixel_unshuffle(a, 7)",
    "F.channel_shuffle(a, 3)",
    "F.interpolate(a)",
    "F.interpolate(a, 2, 2.0)",
    "F.interpolate(a, (2, 2, 2))",
    "F.interpolate(a, 2, mode='linear')",
    "F.interpolate(a, 2, mode='what')",
    "F.interpolate(a, 2, mode='nearest', align_corners=True)",
    "F.dropout2d(a, 2.0)",
    "F.alpha_dropout(a, -1.0)",
    "F.prelu(a, ow.ones(3, dtype=a.dtype))",
    "F.margin_ranking_loss(a, a[0], a)",
    "F.gaussian_nll_loss(a, a, -a.abs() - 1)",
    "F.gaussian_nll_loss(a, a, a[0, 0].abs())",
    "F.triplet_margin_loss(a, a, a, margin=-1.0)",
    "F.multi_margin_loss(a[:, 0, 0], ow.zeros(2, dtype=ow.int64), p=3)",
    "F.hinge_embedding_loss(a, a, reduction='what')",
    "ow.nn.InstanceNorm2d(3, affine=True)(a)",
    "ow.nn.InstanceNorm1d(3)(a)",
    "ow.nn.Softmax2d()(a[0, 0])",
    "ow.nn.Bilinear(0, 1, 1)",
    "ow.nn.TripletMarginLoss(margin=0)",
    "ow.nn.MultiMarginLoss(p=3)",
):
    name = wrong.replace("ow.", "")
    table.case("layer", wrong, name=name, grad=False, raises=True, **IMAGE)
