"""nn.attention.flex_attention: scores that a function changes, masks of blocks, what is refused."""

from reference.samples import REAL, real
from reference.table import Table

table = Table()

FLEX = (
    "import importlib; f = importlib.import_module(ow.__name__ + '.nn.attention.flex_attention'); "
)
QKV = {"q": real(2, 4, 5, 3), "k": real(2, 4, 7, 3), "v": real(2, 4, 7, 2)}
SHARED = {"q": real(2, 4, 5, 3), "k": real(2, 2, 7, 3), "v": real(2, 2, 7, 2)}
CAUSAL = "lambda b, h, i, j: i >= j"
BLOCKS = "m = f.create_block_mask({}, {}, 5, 7, device='cpu', BLOCK_SIZE={}); "

for mod in (
    "None",
    "lambda s, b, h, i, j: s + (i - j)",
    "lambda s, b, h, i, j: s * (h + 1) - b",
    "lambda s, b, h, i, j: ow.where(i >= j, s, -float('inf'))",
    "lambda s, b, h, i, j: ow.where(i > 2, s.tanh(), -float('inf'))",
    "(lambda t: lambda s, b, h, i, j: s + t[h, (i - j).abs()])(ow.arange(28.).view(4, 7) / 8)",
    "(lambda t: lambda s, b, h, i, j: s * t[h])(ow.tensor([0.5, 1.0, 2.0, 0.0]))",
):
    code = f"{FLEX}f.flex_attention(q, k, v, {mod})"
    table.case("flex_attention", code, name=mod, dtypes=REAL, grad=False, tol=4, **QKV)
for options in ("scale=0.3", "enable_gqa=True", "return_lse=True, enable_gqa=True"):
    inputs = SHARED if "gqa" in options else QKV
    table.case(
        "flex_attention",
        f"{FLEX}f.flex_attention(q, k, v, {options})",
        name=options,
        grad=False,
        **inputs,
    )
table.case(
    "flex_attention",
    f"{FLEX}f.flex_attention(q, k, v, lambda s, b, h, i, j: ow.where(i > 1, s, -float('inf')), "
    "return_aux=f.AuxRequest(lse=True))",
    name="return_aux",
    grad=False,
    **QKV,
)

MASKS = {
    "causal": (CAUSAL, "None, None", "2"),
    "window": ("lambda b, h, i, j: (i - j).abs() <= 1", "2, 4", "(2, 3)"),
    "heads": ("lambda b, h, i, j: (h < 2) | (i == j)", "2, 4", "3"),
    "documents": (
        "(lambda d: lambda b, h, i, j: d[i] == d[j])(ow.tensor([0, 0, 1, 1, 1, 2, 2]))",
        "1, 1",
        "2",
    ),
    "none": ("lambda b, h, i, j: i < 0", "None, None", "4"),
    "or": (f"f.or_masks({CAUSAL}, lambda b, h, i, j: j < 3)", "None, None", "2"),
    "and": (f"f.and_masks({CAUSAL}, lambda b, h, i, j: j > 0, f.noop_mask)", "None, None", "2"),
}
PARTS = "m.kv_num_blocks, m.kv_indices, m.full_kv_num_blocks, m.full_kv_indices"
PARTS += ", m.q_num_blocks, m.q_indices, m.full_q_num_blocks, m.full_q_indices"
FACTS = f"(*({PARTS}), m.shape, m.numel(), m.sparsity(), m.to_dense(), m.BLOCK_SIZE, m.seq_lengths)"
for name, (mask, sizes, block) in MASKS.items():
    made = FLEX + BLOCKS.format(mask, sizes, block)
    call = f"{made}f.flex_attention(q, k, v, block_mask=m)"
    table.case("flex_attention", call, name=f"mask {name}", grad=False, **QKV)
    table.case("flex_attention", made + FACTS, name=f"blocks {name}", grad=False)
    table.case("flex_attention", f"{made}str(m)", name=f"picture {name}", grad=False)
made = FLEX + BLOCKS.format(CAUSAL, "2, 4", "2")
for part in ("m[0]", "m[:, 1]", "m[:, :, 1:]", "m[1, 2, -1]", "m._adjust(3, 4)", "m.to('cpu')"):
    code = f"{made}m = {part}; {FACTS}"
    table.case("flex_attention", code, name=f"part {part}", grad=False)
table.case("flex_attention", f"{made}m.mask_mod = f.noop_mask; repr(m)", name="repr", grad=False)
for mod in (CAUSAL, "lambda s, b, h, i, j: ow.where(i >= j, s, -float('inf'))"):
    code = f"{FLEX}f.create_mask({mod}, 1, None, 3, 4, device='cpu')"
    table.case("flex_attention", code, name=f"create_mask {mod}", grad=False)
table.case(
    "flex_attention",
    f"{made}m = f.BlockMask.from_kv_blocks(m.kv_num_blocks, m.kv_indices, BLOCK_SIZE=2); "
    "(m.shape, m.to_dense(), m.q_indices, m.mask_mod is f.noop_mask)",
    name="from_kv_blocks",
    grad=False,
)

for call in (
    "f.flex_attention(q, k[:, :2], v[:, :2])",
    "f.flex_attention(q, k[:, :3], v[:, :3], enable_gqa=True)",
    "f.flex_attention(q, k[..., :2], v)",
    "f.flex_attention(q, k[:1], v[:1])",
    "f.flex_attention(q[0], k[0], v[0])",
    "f.flex_attention(q, k, v, return_lse=True, return_aux=f.AuxRequest())",
    "f.flex_attention(q, k, v, block_mask=f.create_block_mask(f.noop_mask, 1, 1, 4, 7, device='cpu'))",
    "f.flex_attention(q, k, v, block_mask=f.create_block_mask(f.noop_mask, 1, 1, 9, 9, device='cpu'))",
    "f.flex_attention(q, k, v, block_mask=f.create_block_mask(f.noop_mask, 1, 1, 5, 7, device='cpu')[0])",
    "f.create_block_mask(lambda s, b, h, i, j: s, 1, 1, 5, 7, device='cpu')",
    "f.create_mask(lambda b, h: b, 1, 1, 5, 7, device='cpu')",
    "f.or_masks(f.noop_mask, 3)",
    "f.create_block_mask(f.noop_mask, 1, 1, 5, 7, device='cpu')[0, 0, 0, 0]",
    "f.BlockMask.from_kv_blocks(ow.ones(1), ow.ones(1))",
    "f.BlockMask.from_kv_blocks(ow.ones(1, 1), ow.ones(1, 1, 1), ow.ones(1, 1))",
):
    name = call.removeprefix("f.")
    table.case("flex_attention", FLEX + call, name=name, grad=False, raises=True, **QKV)
