"""Names of the top module and of Tensor that few programs use."""

from reference.samples import REAL, index, lit, mask, prob, real
from reference.table import Table, error_cases

table = Table()
MATRIX = {"a": real(2, 3)}

# --- copies of what views look at -----------------------------------------------------------------
COPIES = """
ow.view_copy(a, (3, 2))
ow.transpose_copy(a, 0, 1)
ow.t_copy(a)
ow.expand_copy(a[:1], (2, 3))
ow.squeeze_copy(a[None], (0,))
ow.squeeze_copy(a[None])
ow.unsqueeze_copy(input=a, dim=1)
ow.unbind_copy(a)
ow.split_copy(a, 2, 1)
ow.split_with_sizes_copy(a, [1, 2], 1)
ow.slice_copy(a, 1, 0, 2)
ow.select_copy(a, 0, 1)
ow.narrow_copy(a, 1, 0, 2)
a.narrow_copy(1, 1, 2)
ow.diagonal_copy(a)
ow.unfold_copy(a, 1, 2, 1)
ow.alias_copy(a)
ow.detach_copy(a)
ow.as_strided_copy(a, (2, 2), (1, 1))
ow.permute_copy(a, (1, 0))
ow.unsafe_chunk(a, 2)
a.unsafe_split(2, 1)
ow.unsafe_split_with_sizes(a, [1, 2], 1)
"""
table.many("copy", COPIES, dtypes=REAL, **MATRIX)
table.many(
    "copy",
    """
    r = ow.transpose_copy(a, 0, 1); (r.stride(), r._is_view())
    o = ow.empty(0, dtype=a.dtype); r = ow.t_copy(a, out=o); (r is o, o)
    o = [ow.zeros(3, dtype=a.dtype), ow.zeros(3, dtype=a.dtype)]; ow.unbind_copy(a, 0, out=o); o
    ow.view_copy(a, ow.int32).dtype
    """,
    grad=False,
    **MATRIX,
)
error_cases(
    table,
    "copy",
    """
    ow.unbind_copy(a, 0, out=[ow.empty(3, dtype=a.dtype)])  # out= argument of size 2, got size 1
    ow.as_strided_scatter(a, a[0], (2,), (1,))  # src size = [3], slice size = [2]
    ow.nonzero_static(a, size=-1)  # 'size' must be an non-negative integer
    """,
    raises=True,
    **MATRIX,
)
table.many(
    "through views",
    """
    ow.slice_inverse(a, a[:, 1:].detach(), 1, 1, 3)
    """,
    dtypes=REAL,
    a=real(2, 3),
    b=real(2),
)
table.case(
    "through views",
    "ow.as_strided_scatter(a, b, (2,), (2,), 1)",
    a=real(2, 3),
    b=real(2),
    grad=False,  # PyTorch's is that of the places that are overwritten
)
table.many(
    "nonzero_static",
    """
    m.nonzero_static(size=3)
    ow.nonzero_static(m, size=9, fill_value=-2)
    o = ow.empty(0, dtype=ow.int64); (ow.nonzero_static(m, size=2, out=o) is o, o)
    """,
    m=mask(2, 3),
)

# --- methods as functions, and in place -----------------------------------------------------------
table.many(
    "in place",
    """
    ow.fill(a, 3.0)
    ow.fill(a, b[0])
    c = a.clone(); r = ow.fill_(c, 2); (r is c, r)
    c = a.clone(); r = ow.zero_(c); (r is c, r)
    c = a.clone(); r = ow.ldexp_(c, ow.tensor([1, 2, 3])); (r is c, r)
    c = a.clone(); r = c.swapaxes_(0, 1); (r is c, r, r.stride())
    c = a.clone(); r = c.swapdims_(0, 1); (r is c, r, r.stride())
    c = a.clone(); r = ow.conj_physical_(c); (r is c, r)
    """,
    a=real(2, 3),
    b=real(1),
)
table.many(
    "in place",
    """
    c = a.clone(); r = c.as_strided_((2, 2), (1, 1), 1); (r is c, r, r.stride(), r.storage_offset())
    c = a.clone(); r = ow.as_strided_(c, (2,), (2,)); (r is c, r)
    c = a.clone(); r = ow.detach_(c); (r is c, r.requires_grad)
    c = ow.tensor([4, 6]); (ow.gcd_(c, ow.tensor([6, 4])) is c, c, ow.lcm_(c, ow.tensor([3, 5])))
    (ow.get_device(a), ow.is_inference(a), ow.is_distributed(a), ow.is_vulkan_available())
    """,
    grad=False,
    **MATRIX,
)
error_cases(
    table,
    "in place",
    """
    a.as_strided_((2, 9), (1, 1), 1)  # requiring a storage size of 88 are out of bounds
    a.requires_grad_().as_strided_((2,), (1,))  # a leaf Variable that requires grad
    a.requires_grad_().conj_physical_()  # leaf
    """,
    raises=True,
    **MATRIX,
)

# --- facts of tensors -----------------------------------------------------------------------------
table.many(
    "facts",
    """
    (a[0, 1].is_nonzero(), (a[0, :1] * 0).is_nonzero(), a.const_data_ptr() == a.data_ptr())
    (a.is_sparse_csr, a.is_mkldnn, a.is_ipu, a.is_xla, a.is_maia, a.is_mtia, a.is_vulkan, a.name)
    (a.volatile, a.grad_dtype, a.is_distributed(), a.to_dense() is a, a.to_dense(ow.float32))
    (a.dim_order(), a.t().dim_order(), a.expand(4, 2, 3).dim_order(), a[0, 0].dim_order())
    ow.empty(2, 3, 4, 5).to(memory_format=ow.channels_last).dim_order()
    (a.dim_order(ambiguity_check=True), ow.empty(40).as_strided((2, 2, 2), (1, 4, 2)).dim_order())
    (a.resize(3, 2), a.resize_as(ow.ones(3, 2)))
    """,
    grad=False,
    **MATRIX,
)
table.case(
    "facts",
    "p = ow.nn.Parameter(ow.ones(2)).requires_grad_(False); (p.module_load(ow.zeros(2)), "
    "type(p.module_load(ow.ones(2))) is ow.Tensor, p.module_load(ow.ones(2).double(), True), p.detach())",
    name="module_load",
)
error_cases(
    table,
    "facts",
    """
    a.is_nonzero()  # more than one value is ambiguous
    a.reinforce(a)  # reinforce() was removed
    a.resize(2)  # requested resize to 2 (2 elements in total), but the given tensor has a size of 2x3
    a.resize_as(a[0])  # requested resize to 3 (3 elements in total)
    a.xpu()  # xpu
    a.ipu()  # ipu
    a.mtia()  # mtia
    a.dim_order(ambiguity_check=3)  # must be a bool or a list of memory formats
    ow.ones(1, 1).dim_order(ambiguity_check=True)  # does not have unique dim order
    """,
    raises=True,
    **MATRIX,
)
table.many(
    "return_types",
    """
    (isinstance(ow.max(a, 0), ow.return_types.max), isinstance(ow.sort(a), ow.return_types.sort))
    import pickle; r = pickle.loads(pickle.dumps(ow.min(a, 0))); (type(r) is ow.return_types.min, r.values)
    [hasattr(ow.return_types, n) for n in ("aminmax", "cummax", "frexp", "kthvalue", "topk", "svd")]
    """,
    grad=False,
    **MATRIX,
)

# --- drawn counts, of PyTorch's numbers for a seed ------------------------------------------------
table.many(
    "counts",
    """
    r = ow.poisson(a.clone().requires_grad_()); (r.shape, ow.poisson(a * 0))
    x = a.clone().requires_grad_(); ow.autograd.grad(ow.poisson(x).sum(), x)
    ow.binomial(ow.tensor([0.0, 5, 5, 3, 4]), ow.tensor([0.5, 0, 1, math.nan, -1]))
    ow.binomial(ow.ones(2, 1), ow.ones(3) * 2).shape
    """,
    a=prob(2, 3),
    grad=False,
)
error_cases(
    table,
    "counts",
    """
    ow.poisson(-a)  # expected rate to be non-negative and finite, got -
    ow.poisson(a * math.nan)  # expected rate to be non-negative and finite, got nan
    ow.poisson(a.long())  # poisson not implemented for Long
    ow.binomial(a.long(), a)  # binomial only supports floating-point dtypes for count
    ow.binomial(a, a.float())  # binomial(): found dtype
    """,
    a=prob(2, 3),
    raises=True,
)

# --- differences, segments, products --------------------------------------------------------------
SQUARES = {"a": lit([1.0, 2, 4, 7, 11]), "x": lit([0.0, 1, 3, 4, 7], grad=False)}
table.many(
    "gradient",
    """
    ow.gradient(a)
    ow.gradient(a, spacing=2.0)
    ow.gradient(a, edge_order=2)
    ow.gradient(a, spacing=(x,))
    ow.gradient(a, spacing=(x,), edge_order=2)
    ow.gradient(a.reshape(1, 5).expand(3, 5) * a[:3, None], spacing=[2.0, 3.0])
    ow.gradient(a.reshape(1, 5).expand(3, 5) * a[:3, None], dim=1)
    ow.gradient(a.reshape(1, 5).expand(3, 5) * a[:3, None], dim=(1, 0), spacing=2.0)
    """,
    dtypes=REAL,
    **SQUARES,
)
error_cases(
    table,
    "gradient",
    """
    ow.gradient(a, edge_order=3)  # only supports edge_order=1 and edge_order=2
    ow.gradient(a[:1])  # each dimension size to be at least edge_order+1
    ow.gradient(a, dim=2)  # Dimension out of range
    ow.gradient(a, dim=(0, 0))  # dim 0 appears multiple times in the list of dims
    ow.gradient(a, spacing=[1.0, 2.0])  # a list of length equal to 'self.dim() = 1'
    ow.gradient(a.to(ow.uint8))  # does not support uint8 input
    ow.gradient(a, spacing=(ow.ones(5, 1),))  # one dimension, but got an element with 2 dimensions
    ow.gradient(ow.ones(3, 3), dim=(0, 1), spacing=[2.0])  # of length 1 and a dim argument of length 2
    """,
    raises=True,
    **SQUARES,
)
SEGMENTS = {"a": lit([1.5, -2.0, 0.25, 3.0, -1.0, 2.5])}
for word in ("sum", "mean", "max", "min", "prod"):
    table.many(
        "segment_reduce",
        f"""
        ow.segment_reduce(a, "{word}", lengths=ow.tensor([2, 4]))
        ow.segment_reduce(a, "{word}", offsets=ow.tensor([0, 1, 6]))
        ow.segment_reduce(a.reshape(3, 2), "{word}", lengths=ow.tensor([1, 2]))
        ow.segment_reduce(a.reshape(2, 3), "{word}", lengths=ow.tensor([[1, 2], [2, 1]]), axis=1)
        """,
        dtypes=REAL,
        **SEGMENTS,
    )
    table.many(
        "segment_reduce",
        f"""
        ow.segment_reduce(a, "{word}", lengths=ow.tensor([2, 0, 4]))
        ow.segment_reduce(a, "{word}", lengths=ow.tensor([2, 0, 4]), initial=2)
        ow.segment_reduce(a, "{word}", lengths=ow.tensor([1, 2]), unsafe=True)
        """,
        grad=False,
        **SEGMENTS,
    )
error_cases(
    table,
    "segment_reduce",
    """
    ow.segment_reduce(a, "sum")  # Either lengths or offsets must be defined
    ow.segment_reduce(a, "wrong", lengths=ow.tensor([6]))  # got wrong
    ow.segment_reduce(a, "sum", lengths=ow.tensor([1, 2]))  # to sum to data.size(lengths.dim()-1)
    ow.segment_reduce(a, "sum", lengths=ow.tensor([-1, 7]))  # lengths contains negative value
    ow.segment_reduce(a, "sum", indices=ow.tensor([1, 2]))  # indices based reduction is not supported
    ow.segment_reduce(a.long(), "sum", lengths=ow.tensor([6]))  # not implemented for dtype
    ow.segment_reduce(a.reshape(2, 3), "sum", lengths=ow.tensor([3]), axis=1)  # the last dimension
    """,
    raises=True,
    **SEGMENTS,
)
CHAIN = {"a": real(2, 3), "b": real(3, 4), "c": real(4, 1)}
table.many("chain_matmul", "ow.chain_matmul(a, b, c)\now.chain_matmul(a)", tol=4, **CHAIN)
error_cases(
    table,
    "chain_matmul",
    """
    ow.chain_matmul()  # Expected one or more matrices
    ow.chain_matmul(a, b[0])  # Tensor dimension is 1, expected 2 instead
    ow.chain_matmul(a, a)  # multi_dot(): tensors 0 and 1 with shapes [2, 3] and [2, 3] cannot be
    """,
    raises=True,
    **CHAIN,
)

# --- functions of nn as operators -----------------------------------------------------------------
table.many(
    "as operators",
    """
    ow.margin_ranking_loss(a, b, b, 0.5, 0)
    ow.hinge_embedding_loss(a, ow.ones_like(a), 1.0, 2)
    ow.cosine_embedding_loss(a, b, ow.ones(2), 0.25)
    ow.margin_ranking_loss(a, b, b)
    ow.hinge_embedding_loss(a, ow.ones_like(a))
    ow.triplet_margin_loss(a, b, a * 2)
    ow.triplet_margin_loss(a, b, a * 2, 1.0, 2.0, 1e-6, True, 0)
    ow.poisson_nll_loss(a, b.detach().abs(), True, False, 1e-8, 2)
    ow.norm_except_dim(a, 2, 0)
    ow.norm_except_dim(a, 1, 1)
    ow.norm_except_dim(a, 2, -1)
    ow.frobenius_norm(a, [0])
    ow.frobenius_norm(a, [0, 1], True)
    ow.nuclear_norm(a)
    ow.nuclear_norm(a, (0, 1), True)
    ow.conv_tbc(a[None], b.reshape(1, 3, 2), a[:, 0], 1)
    ow.pdist(a)
    ow.native_channel_shuffle(a.reshape(1, 6, 1), 2)
    c = a.clone(); r = ow.rrelu_(c, 0.25, 0.5); (r is c, r)
    c = a.clone(); r = ow.alpha_dropout_(c, 0.5, False); (r is c, r)
    c = a.clone(); r = ow.feature_dropout_(c, 0.5, False); (r is c, r)
    c = a.clone(); r = ow.feature_alpha_dropout_(c, 0.5, False); (r is c, r)
    ow.feature_alpha_dropout(a, 0.5, False)
    ow.affine_grid_generator(a[None], (1, 1, 2, 2), True)
    ow.grid_sampler(a[None, None], b.reshape(1, 3, 1, 2), 0, 0, True)
    ow.grid_sampler_2d(a[None, None], b.reshape(1, 3, 1, 2), 0, 1, False)
    ow.grid_sampler_3d(a[None, None, None], b.reshape(1, 2, 1, 1, 3), 0, 2, False)
    """,
    a=real(2, 3),
    b=real(2, 3),
    tol=4,
)
for mode, rest in ((0, "[0]"), (1, ""), (2, "")):  # what sums give beside them depends on the dtype
    table.case(
        "as operators",
        f"ow.embedding_bag(a, ow.tensor([0, 2, 1]), ow.tensor([0, 2]), False, {mode}){rest}",
        a=real(3, 2),
    )
    bags = "ow.tensor([0, 2, 1]), ow.tensor([0, 2, 3])"
    table.case(
        "as operators",
        f"ow.embedding_bag(a, {bags}, False, {mode}, False, None, True){rest}",
        a=real(3, 2),
    )
CTC = "ow.ctc_loss(a.log_softmax(2), ow.tensor([[1, 2]]), ow.tensor([4]), ow.tensor([2]), 0, {})"
for number in (0, 1, 2):
    table.case("as operators", CTC.format(number), a=real(4, 1, 3), tol=4)
table.many(
    "as operators",
    """
    c = a.clone().abs(); r = ow.embedding_renorm_(c, i, 1.0, 2.0); (r is c, r)
    F.embedding(i, a, max_norm=1.5)
    c = a.clone(); r = F.embedding(i, c, max_norm=0.5, norm_type=1.0); (r, c)
    layer = ow.nn.Embedding(3, 2, max_norm=1.0); layer.weight.data.fill_(3.0); (layer(i), repr(layer))
    """,
    a=real(3, 2),
    i=index(3, 2),
    grad=False,
    dtypes=REAL,
)
for options in ("scale_grad_by_freq=True", "scale_grad_by_freq=True, padding_idx=1"):
    code = (
        f"w = a.clone().requires_grad_(); r = F.embedding(ow.tensor([0, 2, 2, 1]), w, {options}); "
        "(r * r).sum().backward(); w.grad"
    )
    table.case("as operators", code, a=real(3, 2), grad=False, name=f"embedding {options}")
error_cases(
    table,
    "as operators",
    """
    ow.alpha_dropout_(a, 2, True)  # dropout probability has to be between 0 and 1, but got 2
    ow.frobenius_norm(ow.ones(2, 2, 2), (0, 1, 2))  # Expected at most 2 dimensions, but got 3
    ow.nuclear_norm(a[0])  # must have at least 2 dimensions
    ow.embedding_renorm_(a, ow.tensor([1.0]), 1.0, 2.0)  # expected argument 'indices'
    ow.embedding_renorm_(a, ow.tensor([5]), 1.0, 2.0)  # out of
    """,
    raises=True,
    **MATRIX,
)
