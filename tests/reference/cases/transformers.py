"""MultiheadAttention and the transformers: outputs, weights, gradients, parameters, printing, errors."""

from reference.cases.modules import FACTS, RAMP
from reference.samples import REAL, real
from reference.table import Table

table = Table()

STEPS = {"a": real(3, 3, 4)}
OTHERS = {"a": real(3, 3, 4), "k": real(3, 3, 3), "v": real(3, 3, 5)}
CAUSAL = "ow.nn.Transformer.generate_square_subsequent_mask(3)"
PADDING = "key_padding_mask=ow.tensor([[False, False, True], [False] * 3, [False, True, True]])"
CALLS = (
    "",
    "need_weights=False",
    "average_attn_weights=False",
    "attn_mask=ow.tensor([[False, True, True], [False, False, True], [False] * 3])",
    "attn_mask=ow.arange(54).to(a.dtype).sin().view(6, 3, 3)",
    PADDING,
    f"{PADDING}, attn_mask={CAUSAL}.to(a.dtype), need_weights=False",
    f"attn_mask={CAUSAL}, is_causal=True, need_weights=False",
)
for make, inputs in {
    "nn.MultiheadAttention(4, 2)": STEPS,
    "nn.MultiheadAttention(4, 2, bias=False)": STEPS,
    "nn.MultiheadAttention(4, 2, batch_first=True)": STEPS,
    "nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True)": STEPS,
    "nn.MultiheadAttention(4, 2, kdim=3, vdim=5)": OTHERS,
}.items():
    arguments = "a, k, v" if inputs is OTHERS else "a, a, a"
    call = f"{RAMP}layer = ramp(ow.{make}.to(a.dtype)); "
    for options in CALLS:
        code = f"{call}layer({arguments}, {options})"
        name = f"{make} {options}".replace("ow.", "")
        table.case("attention", code, name=name, dtypes=REAL, tol=4, **inputs)
    one = ", ".join(f"{x}[0]" for x in arguments.split(", "))
    table.case("attention", f"{call}layer({one})", name=f"{make} one example", **inputs)
    grads = f"layer({arguments})[0].pow(2).sum().backward(); [p.grad for p in layer.parameters()]"
    table.case("attention", call + grads, name=f"{make} gradients", grad=False, tol=4, **inputs)
    table.case("attention", FACTS.format(make), name=f"{make} facts")
for wrong in (
    "a, a[0], a",
    "a, a, a, attn_mask=a[:2, :2, 0]",
    "a, a, a, attn_mask=a[:2, :2, :2]",
    "a, a, a, attn_mask=ow.ones(3, 3, dtype=ow.int64)",
    "a[..., :3], a, a",
    "a, a, a, is_causal=True",
    "a, a, a, key_padding_mask=ow.zeros(2, 2).bool()",
):
    code = f"ow.nn.MultiheadAttention(4, 2).double()({wrong})"
    table.case("attention", code, name=wrong.replace("ow.", ""), grad=False, raises=True, **STEPS)

VARIANTS = ("", "norm_first=True", "batch_first=True, activation='gelu'", "bias=False")
KINDS = {
    "TransformerEncoderLayer(4, 2, 6, 0.0, {})": ("a", "a, m", "a, m, is_causal=True", "a[0]"),
    "TransformerDecoderLayer(4, 2, 6, 0.0, {})": ("a, a * 2", "a, a * 2, m", "a[0], a[1]"),
    "TransformerEncoder(ow.nn.TransformerEncoderLayer(4, 2, 6, 0.0, {}), 2)": (
        *("a", "a, m", "a, m, is_causal=True"),
        "a, src_key_padding_mask=a[:, :, 0] > 3",
    ),
    "TransformerDecoder(ow.nn.TransformerDecoderLayer(4, 2, 6, 0.0, {}), 2, ow.nn.LayerNorm(4))": (
        *("a, a * 2", "a, a * 2, m"),
    ),
    "Transformer(4, 2, 2, 1, 6, 0.0, {})": ("a, a * 2", "a, a * 2, tgt_mask=m"),
}
MASK = f"m = {CAUSAL}.to(a.dtype); "
for kind, calls in KINDS.items():
    for variant in VARIANTS:
        make = "nn." + kind.format(variant)
        call = f"{RAMP}layer = ramp(ow.{make}.to(a.dtype)); {MASK}"
        for arguments in calls:
            name = f"{make} of {arguments}".replace("ow.", "")
            table.case("transformer", f"{call}layer({arguments})", name=name, tol=16, **STEPS)
        grads = f"layer({calls[0]}).pow(2).sum().backward(); [p.grad for p in layer.parameters()]"
        name = f"{make} gradients".replace("ow.", "")
        table.case("transformer", call + grads, name=name, grad=False, tol=16, **STEPS)
        name = f"{make} facts".replace("ow.", "")
        table.case("transformer", FACTS.format(make), name=name)
for wrong in ("a, a[:, :2]", "a[..., :3], a"):
    code = f"ow.nn.Transformer(4, 2, 1, 1, 6).double()({wrong})"
    table.case("transformer", code, name=wrong, grad=False, raises=True, **STEPS)
wrong = "nn.TransformerEncoderLayer(4, 2, activation='x')"
table.case("transformer", f"ow.{wrong}", name=wrong, raises=True)
table.case("transformer", CAUSAL, name="generate_square_subsequent_mask(3)")
