"""Network operators: softmax, losses, normalisation, convolution, pooling, embedding, attention."""

from reference.samples import FLOATS, INTS, REAL, index, lit, mask, positive, prob, real, wide
from reference.table import Table

table = Table()

for name in ("softmax", "log_softmax"):
    table.many(
        name,
        f"""F.{name}(a, 0)
        F.{name}(a, 1)
        F.{name}(a, -1)
        F.{name}(a, dim=1)
        F.{name}(a, 1, dtype=ow.float64)
        ow.{name}(a, 1)
        a.{name}(0)
        F.{name}(a.t(), 0)
        F.{name}(a[:0], 1)
        F.{name}(a[:, :0], 1)
        F.{name}(a[0, 0], 0)
        F.{name}(a * 300, 1)
        F.{name}(a[:, :1], 1)""",
        a=real(3, 4), dtypes=REAL,
    )  # fmt: skip
    table.case(name, f"F.{name}(a, 1)", a=wide(2, 67), dtypes=FLOATS)
    table.case(name, f"F.{name}(a, 1)", a=real(2, 3, 4), dtypes=FLOATS)
    table.case(name, f"F.{name}(a, 0, dtype=ow.float32)", a=real(4), dtypes=INTS)
    for values in (
        [float("-inf"), 0.0, 1.0],
        [float("-inf")] * 2,
        [float("nan"), 0.0],
        [float("inf"), 0.0],
        [1e4, -1e4],
    ):
        table.case(name, f"F.{name}(a, 0)", a=lit(values, grad=False), dtypes=REAL)

# Losses
REDUCTIONS = ("'mean'", "'sum'", "'none'")
NLL = {"a": real(4, 3), "t": index(3, 4), "w": positive(3, grad=False)}
for name in ("nll_loss", "cross_entropy"):
    first = "a.log_softmax(1)" if name == "nll_loss" else "a"
    single = "a[0].log_softmax(0)" if name == "nll_loss" else "a[0]"
    table.case(name, f"F.{name}({first}, t)", dtypes=REAL, **NLL)
    for reduction in REDUCTIONS:
        table.case(name, f"F.{name}({first}, t, reduction={reduction})", **NLL)
        table.case(name, f"F.{name}({first}, t, weight=w, reduction={reduction})", **NLL)
        table.case(name, f"F.{name}({first}, t, w, ignore_index=1, reduction={reduction})", **NLL)
        table.case(name, f"F.{name}({single}, t[0], reduction={reduction})", **NLL)
    spatial = {"a": real(2, 3, 2, 2), "t": index(3, 2, 2, 2), "w": positive(3, grad=False)}
    table.many(
        name,
        f"F.{name}({first}, t)\nF.{name}({first}, t, w)\nF.{name}({first}, t, reduction='none')",
        **spatial,
    )
    table.case(name, f"F.{name}({first}, t)", a=real(2, 3, 4), t=index(3, 2, 4))
    table.case(
        name, f"F.{name}({first}, t, ignore_index=-100)", a=real(3, 2), t=lit([0, -100, 1], "int64")
    )
    table.case(name, f"F.{name}({first}, t, ignore_index=0)", a=real(2, 2), t=lit([0, 0], "int64"))
    table.case(name, f"F.{name}({first}, t)", a=real(0, 3), t=index(3, 0))
SMOOTH = """F.cross_entropy(a, t, label_smoothing=0.1)
F.cross_entropy(a, t, w, label_smoothing=0.2)
F.cross_entropy(a, t, label_smoothing=0.1, reduction='none')
F.cross_entropy(a, t, label_smoothing=0.1, ignore_index=0)|F.cross_entropy(a, p)
F.cross_entropy(a, p, w)|F.cross_entropy(a, p, reduction='sum')
F.cross_entropy(a, p, label_smoothing=0.3)|F.cross_entropy(input=a, target=t)"""
for code in SMOOTH.replace("\n", "|").split("|"):
    table.case("cross_entropy", code, p=prob(4, 3), **NLL)
PAIR = {"a": real(2, 3), "b": real(2, 3)}
for name in ("mse_loss", "l1_loss", "smooth_l1_loss"):
    for reduction in REDUCTIONS:
        table.case(name, f"F.{name}(a, b, reduction={reduction})", dtypes=REAL, **PAIR)
    table.case(name, f"F.{name}(a, b)", dtypes=FLOATS, **PAIR)
    table.case(name, f"F.{name}(a, b)", a=real(2, 3), b=real(3))
    table.case(name, f"F.{name}(a, b)", a=real(0, 3), b=real(0, 3))
    table.case(name, f"F.{name}(a, b)", a=real(), b=real())
for beta in ("0.5", "3.0", "0", "1"):
    table.case("smooth_l1_loss", f"F.smooth_l1_loss(a, b, beta={beta})", **PAIR)
BCE = {"a": wide(2, 3), "t": prob(2, 3), "w": positive(3, grad=False), "p": positive(3, grad=False)}
for code in (
    "a, t",
    "a, t, w",
    "a, t, pos_weight=p",
    "a, t, weight=w, pos_weight=p, reduction='sum'",
    "a, t, reduction='none'",
):
    table.case(
        "binary_cross_entropy_with_logits",
        f"F.binary_cross_entropy_with_logits({code})",
        dtypes=REAL,
        **BCE,
    )
table.case("binary_cross_entropy_with_logits", "F.binary_cross_entropy_with_logits(a, t)",
           a=lit([1000.0, -1000.0, 50.0]), t=lit([1.0, 0.0, 0.0]), dtypes=REAL)  # fmt: skip

# Normalisation
LN = {"a": real(2, 3, 4), "w": positive(4), "b": real(4), "v": real(3, 4)}
table.many(
    "layer_norm",
    """F.layer_norm(a, (4,))
    F.layer_norm(a, (4,), w)
    F.layer_norm(a, (4,), w, b)
    F.layer_norm(a, [4], bias=b)
    F.layer_norm(a, (3, 4))
    F.layer_norm(a, (3, 4), v, v)
    F.layer_norm(a, a.shape)
    F.layer_norm(a, (4,), w, b, 0.1)
    F.layer_norm(a, (4,), eps=1e-3)
    F.layer_norm(a.transpose(0, 1), (4,), w, b)
    F.layer_norm(a[:0], (4,), w, b)
    F.layer_norm(a * 0, (4,))
    F.layer_norm(a[0, 0], (4,), w, b)
    ow.layer_norm(a, (4,), w, b)""",
    dtypes=REAL, **LN,
)  # fmt: skip
table.case("layer_norm", "F.layer_norm(a, (67,))", a=real(2, 67), dtypes=FLOATS)
BN = {
    "a": real(3, 2, 2, 2),
    "m": real(2, grad=False),
    "v": positive(2, grad=False),
    "w": positive(2),
    "b": real(2),
}
table.many(
    "batch_norm",
    """F.batch_norm(a, m, v)
    F.batch_norm(a, m, v, w, b)
    F.batch_norm(a, m, v, w, b, training=False, eps=0.1)
    F.batch_norm(a, None, None, w, b, training=True)
    F.batch_norm(a, None, None, training=True)
    m = m.clone(); v = v.clone(); (F.batch_norm(a, m, v, w, b, training=True), m, v)
    m = m.clone(); v = v.clone(); (F.batch_norm(a, m, v, training=True, momentum=0.5), m, v)
    m = m.clone(); v = v.clone(); (F.batch_norm(a, m, v, training=True, momentum=0.0), m, v)
    F.batch_norm(a[:, :, 0, 0], m, v, w, b)
    F.batch_norm(a[:, :, 0, 0], None, None, w, b, True)
    F.batch_norm(a[:, :, 0], m, v, w, b)
    F.batch_norm(a.transpose(2, 3), None, None, w, b, True)
    F.batch_norm(a, m, v, w, None)
    F.batch_norm(a, m, v, None, b, True)""",
    dtypes=REAL, **BN,
)  # fmt: skip
GN = {"a": real(2, 4, 3), "w": positive(4), "b": real(4)}
table.many(
    "group_norm",
    """F.group_norm(a, 2)
    F.group_norm(a, 2, w, b)
    F.group_norm(a, 4, w, b)
    F.group_norm(a, 1, w, b, 0.1)
    F.group_norm(a, 2, weight=w)
    F.group_norm(a[:, :, 0], 2, w, b)
    F.group_norm(a[..., None].expand(2, 4, 3, 2), 2, w, b)
    ow.group_norm(a, 2, w, b)""",
    dtypes=REAL, **GN,
)  # fmt: skip

# Convolution
CONV1 = {"a": real(2, 4, 7), "w": real(6, 4, 3), "g": real(6, 2, 3), "b": real(6)}
table.many(
    "conv1d",
    """F.conv1d(a, w)
    F.conv1d(a, w, b)
    F.conv1d(a, w, b, stride=2, padding=1)
    F.conv1d(a, w, dilation=2)
    F.conv1d(a, g, b, groups=2)
    F.conv1d(a, w, padding='same')
    F.conv1d(a, w, padding='valid')
    F.conv1d(a[0], w, b)
    F.conv1d(a, w[:, :, :1])
    F.conv1d(a[:0], w, b)
    F.conv1d(a, w, b, (2,), (2,), (2,))""",
    dtypes=REAL, **CONV1,
)  # fmt: skip
CONV2 = {
    "a": real(2, 4, 5, 6),
    "w": real(6, 4, 3, 2),
    "g": real(8, 2, 2, 3),
    "d": real(4, 1, 3, 3),
    "b": real(6),
}
table.many(
    "conv2d",
    """F.conv2d(a, w)
    F.conv2d(a, w, b)
    F.conv2d(a, w, b, 2)
    F.conv2d(a, w, b, padding=1)
    F.conv2d(a, w, b, (2, 1), (0, 1))
    F.conv2d(a, w, dilation=(2, 1))
    F.conv2d(a, g, groups=2)
    F.conv2d(a, d, groups=4, padding=1)
    F.conv2d(a, w, padding='same')
    F.conv2d(a, w, b, stride=(1, 2), padding='valid')
    F.conv2d(a[0], w, b)
    F.conv2d(a.transpose(2, 3), w, b)
    F.conv2d(a.contiguous(memory_format=ow.channels_last), w, b)
    F.conv2d(a, w[:, :, :1, :1], b)
    F.conv2d(a[:, :, :3, :2], w)
    F.conv2d(a[:0], w, b)
    ow.conv2d(a, w, b)
    F.conv2d(input=a, weight=w, bias=b, stride=1, padding=0, dilation=1, groups=1)
    F.conv2d(a, w, b, padding=(3, 2))""",
    dtypes=REAL, **CONV2,
)  # fmt: skip
table.case("conv2d", "F.conv2d(a, w, b)", dtypes=FLOATS, **CONV2)
TRANSPOSED = {"a": real(2, 4, 3, 3), "w": real(4, 3, 3, 2), "g": real(4, 3, 2, 2), "b": real(3)}
table.many(
    "conv_transpose2d",
    """F.conv_transpose2d(a, w)
    F.conv_transpose2d(a, w, b)
    F.conv_transpose2d(a, w, b, stride=2)
    F.conv_transpose2d(a, w, b, stride=2, padding=1)
    F.conv_transpose2d(a, w, b, 2, 1, 1)
    F.conv_transpose2d(a, w, b, (2, 1), (1, 0), (1, 0))
    F.conv_transpose2d(a, g, groups=2)
    F.conv_transpose2d(a, w, dilation=2)
    F.conv_transpose2d(a[0], w, b)""",
    dtypes=REAL, **TRANSPOSED,
)  # fmt: skip

# Pooling
POOL = {"a": real(2, 3, 6, 7)}
table.many(
    "max_pool2d",
    """F.max_pool2d(a, 2)
    F.max_pool2d(a, 3, 1)
    F.max_pool2d(a, (2, 3), (1, 2))
    F.max_pool2d(a, 3, 2, 1)
    F.max_pool2d(a, 3, 2, ceil_mode=True)
    F.max_pool2d(a, 2, 1, 0, 2)
    F.max_pool2d(a, 3, 2, 1, return_indices=True)
    F.max_pool2d(a[0], 2)
    F.max_pool2d(a.transpose(2, 3), 2)
    F.max_pool2d(a, kernel_size=2, stride=2)
    ow.max_pool2d(a, 2)
    F.max_pool2d(a[:0], 2)""",
    dtypes=REAL, **POOL,
)  # fmt: skip
table.case(
    "max_pool2d",
    "F.max_pool2d(a, 2)",
    a=lit([[[float("nan"), 1.0], [2.0, 3.0]]], grad=False),
    dtypes=REAL,
)
table.case(
    "max_pool2d",
    "F.max_pool2d(a, 2, 2, 1)",
    a=lit([[[float("-inf"), -1.0], [-2.0, -3.0]]], grad=False),
)
table.many(
    "avg_pool2d",
    """F.avg_pool2d(a, 2)
    F.avg_pool2d(a, 3, 1)
    F.avg_pool2d(a, (2, 3), (1, 2), (1, 1))
    F.avg_pool2d(a, 3, 2, 1, count_include_pad=False)
    F.avg_pool2d(a, 3, 2, ceil_mode=True)
    F.avg_pool2d(a, 3, 2, 1, True, False)
    F.avg_pool2d(a, 2, divisor_override=3)
    F.avg_pool2d(a[0], 2)
    F.avg_pool2d(a.transpose(2, 3), 2)
    F.adaptive_avg_pool2d(a, 1)
    F.adaptive_avg_pool2d(a, (2, 3))
    F.adaptive_avg_pool2d(a, (4, 5))
    F.adaptive_avg_pool2d(a, (None, 2))
    F.adaptive_avg_pool2d(a, 8)
    F.adaptive_avg_pool2d(a[0], 2)
    F.adaptive_avg_pool2d(a.transpose(2, 3), (3, 2))""",
    dtypes=REAL, **POOL,
)  # fmt: skip

# Embedding, padding, one_hot
EMB = {"w": real(5, 3), "i": index(5, 2, 3)}
table.many(
    "embedding",
    """F.embedding(i, w)
    F.embedding(i[0], w)
    F.embedding(i[0, 0], w)
    F.embedding(i[:0], w)
    F.embedding(i.int(), w)
    F.embedding(i, w, padding_idx=2)
    F.embedding(i, w, padding_idx=-1)
    F.embedding(i.t(), w)
    F.one_hot(i)
    F.one_hot(i, 7)
    F.one_hot(i[0, 0], 5)
    F.one_hot(i[:0], 5)
    F.one_hot(i, num_classes=5).sum()""",
    dtypes=REAL, **EMB,
)  # fmt: skip
PADS = """(1, 2)|(1, 2, 0, 1)|(1, 1), value=2.5|(-1, 2)|(0, 0)|(1, 0, 0, -1), 'constant', 3
(0, 0, 1, 0, 2, 0)|(-1, -2)|(1, 2), 'reflect'|(1, 2), 'replicate'|(1, 2), 'circular'
(1, 2, 2, 1), 'reflect'|(1, 1, 1, 1), 'replicate'|(2, 1, 0, 1), 'circular'
[1, 1], mode='constant'"""
for code in PADS.replace("\n", "|").split("|"):
    table.case(
        "pad",
        f"F.pad(a, {code})",
        a=real(2, 2, 3, 4) if code.count(",") > 2 else real(2, 3, 4),
        dtypes=REAL,
    )
table.case("pad", "F.pad(a, (1, 1))", a=real(3), dtypes=(*FLOATS, *INTS, "bool"))
table.case("pad", "F.pad(a, (1, 2, 3, 0))", a=real(2, 3, layout="t"))
table.case("pad", "F.pad(a, (1, 1))", a=real(0))

# Dropout: what is certain about it
table.many(
    "dropout",
    """F.dropout(a, 0.0)
    F.dropout(a, 1.0)
    F.dropout(a, 0.5, training=False)
    F.dropout(a, 0.5, False) is a
    F.dropout(a, p=0.0, training=True)
    ow.dropout(a, 0.5, False)
    b = a + 10; d = F.dropout(b, 0.25); ((d == 0) | ((d - b / 0.75).abs() < 1e-5)).all()
    ow.manual_seed(0); 0.2 < (F.dropout(ow.ones(10000), 0.25) == 0).float().mean().item() < 0.3
    c = a.clone(); (F.dropout(c, 1.0, inplace=True) is c, c)""",
    a=real(3, 4), dtypes=REAL,
)  # fmt: skip

# Attention
QKV = {"q": real(2, 3, 4), "k": real(2, 5, 4), "v": real(2, 5, 4), "m": mask(3, 5), "f": real(3, 5)}
table.many(
    "scaled_dot_product_attention",
    """F.scaled_dot_product_attention(q, k, v)
    F.scaled_dot_product_attention(q, k, v, m | ow.eye(3, 5).bool())
    F.scaled_dot_product_attention(q, k, v, attn_mask=f)
    F.scaled_dot_product_attention(q, k, v, is_causal=True)
    F.scaled_dot_product_attention(q, q, q, is_causal=True)
    F.scaled_dot_product_attention(q, k, v, scale=0.3)
    F.scaled_dot_product_attention(q, k, v, dropout_p=0.0)
    F.scaled_dot_product_attention(q[None], k[None], v[None])
    F.scaled_dot_product_attention(q[None], k[None], v[None], f[None, None])
    F.scaled_dot_product_attention(q, k, v[..., :2])
    F.scaled_dot_product_attention(q.transpose(0, 1)[:2], k, v)
    F.scaled_dot_product_attention(query=q, key=k, value=v)""",
    dtypes=REAL, tol=4, **QKV,
)  # fmt: skip
