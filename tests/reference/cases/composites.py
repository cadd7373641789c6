"""Functions of the top module that call several operators, and settings."""

from reference.samples import REAL, index, positive, real
from reference.table import Table

table = Table()

PAIR = {"a": real(2, 3), "b": real(2, 3)}
for code in (
    *('ow.meshgrid(a[0], b[:, 0], indexing="ij")', 'ow.meshgrid(a[0], b[:, 0], indexing="xy")'),
    'ow.meshgrid([a[0], b[0, 0], b[1]], indexing="xy")',
    *("ow.cartesian_prod(a[0], b[0])", "ow.cartesian_prod(a[0])", "ow.combinations(a[0])"),
    *("ow.combinations(a[0], 2, with_replacement=True)", "ow.combinations(a[0], r=3)"),
    *(
        "ow.combinations(a[0], 0)",
        "ow.block_diag(a, b[0], b[0, 0])",
        "ow.column_stack((a[:, 0], b))",
    ),
    *("ow.row_stack((a, b))", "ow.hsplit(a, 3)", "ow.hsplit(a[0], [1])", "a.vsplit(2)"),
    *("ow.dsplit(a.view(1, 2, 3), [1])", "ow.diff(a)", "a.diff(2, 1)", "ow.diff(a, n=5)"),
    *("ow.diff(a, dim=0, prepend=b[:1], append=b)", "ow.rot90(a)", "ow.rot90(a, 2)"),
    *("a.rot90(3, (1, 0))", "ow.rot90(a, 4)", "ow.dist(a, b)", "a.dist(b, 1)", "ow.cdist(a, b)"),
    *("ow.cdist(a, b, p=1.0)", "ow.cdist(a, b, p=float('inf'))", "ow.cdist(a, b, p=0.0)"),
    *("a.new(2, 3).shape", "a.new([1.0, 2.0])", "a.new_tensor([1, 2])"),
):
    table.case("composite", code, dtypes=REAL, **PAIR)
COUNTS = {"i": index(5, 7), "w": positive(7, grad=False)}
for code in (
    *(
        "ow.bincount(i)",
        "ow.bincount(i, minlength=9)",
        "ow.bincount(i, w)",
        "i.bincount(w.float())",
    ),
    *("ow.isin(i, ow.tensor([1, 3]))", "ow.isin(i, 2, invert=True)", "ow.isin(3, i)"),
    *("ow.tril_indices(3, 4)", "ow.tril_indices(3, 4, -1)", "ow.triu_indices(4, 3, 1)"),
    *(
        "ow.triu_indices(2, 2, dtype=ow.int32)",
        "ow.logspace(0, 2, 5)",
        "ow.logspace(1, 3, 3, base=2)",
    ),
    *("ow.broadcast_shapes((2, 1), (3,), 1)", "ow.broadcast_shapes()", "ow.multinomial(w[:1], 1)"),
    *(
        "ow.multinomial(ow.tensor([0.0, 1.0, 0.0]), 4, replacement=True)",
        "ow.diff(i)",
        "ow.diff(i > 2)",
    ),
    "ow.multinomial(ow.tensor([[0.0, 1.0], [1.0, 0.0]]), 1)",
):
    table.case("composite", code, grad=False, **COUNTS)
for wrong in (
    *(
        "ow.meshgrid(indexing='ij')",
        "ow.meshgrid(a, indexing='ij')",
        "ow.meshgrid(a[0], indexing='x')",
    ),
    *(
        "ow.meshgrid(a[0], a[0].float(), indexing='ij')",
        "ow.cartesian_prod(a)",
        "ow.combinations(a)",
    ),
    *(
        "ow.combinations(a[0], -1)",
        "ow.block_diag(a[None])",
        "ow.hsplit(a, 2)",
        "ow.vsplit(a[0], 1)",
    ),
    *("ow.diff(a[0, 0])", "ow.diff(a, -1)", "ow.cdist(a[0], a)", "ow.cdist(a, a[:, :2])"),
    *("ow.cdist(a, a, p=-1.0)", "ow.bincount(a)", "ow.bincount(ow.tensor([-1]))"),
    *("ow.multinomial(a[0], 9)", "ow.multinomial(a[0].abs(), 0)", "ow.multinomial(-a[0].abs(), 1)"),
    *("ow.multinomial(a[None], 1)", "ow.multinomial(ow.ones(2, dtype=ow.int64), 1)"),
    *("ow.multinomial(ow.zeros(2), 1)", "ow.broadcast_shapes((2,), (3,))", "a.cuda()"),
    "ow.set_num_interop_threads(0)",
    *("ow.set_deterministic_debug_mode('x')", "ow.use_deterministic_algorithms(3)"),
    *("ow.LongTensor(ow.ones(2))", "ow.FloatTensor('a')", "a.type('torch.WhatTensor')"),
    "ow.set_default_tensor_type('torch.IntTensor')",
):
    name = wrong.replace("ow.", "").replace("torch.", "")
    table.case("refusal", wrong, name=name, grad=False, raises=True, **PAIR)

for code in (
    *("a.type('torch.LongTensor')", "a.type(ow.HalfTensor)", "a.int().type('torch.DoubleTensor')"),
    *("ow.FloatTensor(2, 3).shape", "ow.LongTensor([1, 2])", "ow.FloatTensor().shape"),
    *("ow.DoubleTensor(ow.Size([2])).shape", "isinstance(a, ow.DoubleTensor)"),
    *("isinstance(a, ow.FloatTensor)", "isinstance(a.float(), ow.FloatTensor)"),
    *("str(ow.device('cuda:0'))", "ow.device('cuda', 1).index", "str(ow.device('mps'))"),
    *("ow.cuda.is_available()", "ow.cuda.device_count()", "ow.mps.is_available()"),
    *("ow.cuda.is_bf16_supported()", "ow.cuda.empty_cache()", "ow.cuda.manual_seed_all(1)"),
    *("ow.get_float32_matmul_precision()", "ow.get_deterministic_debug_mode()"),
    *("(ow.e, ow.pi, ow.inf, ow.newaxis)", "ow.version.debug", "ow.backends.mps.is_available()"),
    *(
        "ow.backends.cudnn.benchmark",
        "ow.backends.cudnn.deterministic",
        "ow.backends.cudnn.enabled",
    ),
    *("ow.backends.cuda.matmul.allow_tf32", "ow.backends.cudnn.allow_tf32"),
    *("ow.backends.openmp.is_available()", "ow.backends.cuda.math_sdp_enabled()"),
):
    name = code.replace("ow.", "").replace("torch.", "")
    table.case("setting", code, name=name, grad=False, **PAIR)
for what, value in (("benchmark", True), ("deterministic", True), ("allow_tf32", False)):
    code = (
        f"c = ow.backends.cudnn; before = c.{what}; c.{what} = {value}; now = c.{what}; "
        f"c.{what} = before; now"
    )
    table.case("setting", code, name=f"cudnn.{what} is set", **PAIR, grad=False)
