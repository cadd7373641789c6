"""Properties that an operator cannot have although ops.yaml does not say so: expected failures.

(operator, or one of its cases, property) -> reason. They are strict: one that holds after all fails.
"""

from reference.dtypes import COMMON, DTYPES

_WRAPS = "negative numbers wrap in uint8, as in PyTorch"
_SIZES_ALONE = "it asks the other tensor for its sizes alone"
_ITSELF = (
    "gives the argument itself where there is nothing to do, as PyTorch does without saying so"
)
_TIE = "at a tie the gradient jumps"
_DRAWN = (
    "no gradient passes through drawn numbers, as in PyTorch, though they are shifted and scaled"
)
_COPY = "is a view only where the dtype stays"
_GEOMETRY = "is about memory: another layout means other elements"
_SPANS = "refuses what cannot be a view, as it should"

_DENSE = "wants contiguous memory, and says so"
_STEPS = tuple(
    f"_fused_{name}_"
    for name in (
        "adadelta",
        "adagrad",
        "adam",
        "adamax",
        "asgd",
        "nadam",
        "radam",
        "rmsprop",
        "rprop",
    )
)  # of optimisers that count them
_ROWS = "the gradient of an embedding leaves a row out, or divides by how often it is used"

_NORMALISED = "the gradient is that of the scores before log_softmax, and has none, as in PyTorch"

_NOT_A_NUMBER = (
    "where the value is no finite number, PyTorch's gradient is another one that is none"
)
_EDGE = "a step leaves the domain"
_CLAMPED = (
    "clamp.Tensor(self=[1.0,2.0,1.5,0.5,3.0],min=[1.0,0.0,1.0,2.0,1.0],max=[2.0,2.0,1.5,1.0,2.0])",
    "clamp.Tensor(self=[1.0,2.0,3.0],min=[2.0,2.0,1.0])",
    "clamp.Tensor(self=[1.0,2.0,3.0],max=[2.0,2.0,1.0])",
)
_CERTAIN = (
    "binary_cross_entropy(self=[0.0,1.0,0.5,0.0,1.0],target=[0.0,0.0,0.25,1.0,1.0],reduction=0)"
)

EXCEPTIONS = {
    **{(call, "gradgradcheck"): _TIE for call in _CLAMPED},
    (_CERTAIN, "gradcheck"): _EDGE,
    (_CERTAIN, "gradgradcheck"): _EDGE,
    (
        _CERTAIN,
        "gradient",
    ): "by the target it is the slope of the clamped loss, and infinite in PyTorch",
    (
        "binary_cross_entropy(self=[0.0,1.0,0.5,0.0,1.0],target=[0.0,0.0,0.25,1.0,1.0],reduction=0)",
        "float16-narrow_gradient",
    ): "an element of 5e11 is infinite there",
    (
        "xlogy.Tensor(self=[0.0,0.0,0.0,0.0,2.0,2.0,0.0],other=[0.0,-1.0,inf,nan,nan,inf,2.0])",
        "gradient",
    ): _NOT_A_NUMBER,
    **{
        (f"upsample_nearest3d{call}", "gradient"): (
            "of volumes with factors PyTorch's gradient is not that of what it computes"
        )
        for call in (
            "(self=real(1x2x2x3x2),output_size=[3,3,4],scales_d=1.6,scales_h=1.0,scales_w=2.4)",
            ".vec(input=real(1x1x2x3x2),output_size=None,scale_factors=[1.6,1.0,2.4])",
        )
    },
    ("xlogy.Scalar_Self(self=0,other=[0.0,-1.0,inf,nan,2.0])", "gradient"): _NOT_A_NUMBER,
    ("xlogy.Scalar_Other(self=[0.0,2.0],other=inf)", "gradient"): _NOT_A_NUMBER,
    ("xlogy.Scalar_Other(self=[0.0,2.0],other=nan)", "gradient"): _NOT_A_NUMBER,
    ("amax(self=[[1.0,3.0,3.0],[2.0,0.5,2.0]],dim=[1])", "gradgradcheck"): _TIE,
    ("amin(self=[[1.0,1.0,3.0],[2.0,2.5,2.0]],dim=[1])", "gradgradcheck"): _TIE,
    ("max(self=[1.0,3.0,3.0,2.0])", "gradgradcheck"): _TIE,
    ("min(self=[1.0,1.0,3.0,2.0])", "gradgradcheck"): _TIE,
    ("poisson(self=[0.0,0.5,40.0])", "gradcheck"): _DRAWN,
    ("poisson(self=[0.0,0.5,40.0])", "gradgradcheck"): _DRAWN,
    ("binomial(count=20.0,prob=[[0.125],[0.5]])", "gradcheck"): _DRAWN,
    ("normal.Tensor_float", "gradcheck"): _DRAWN,
    ("normal.float_Tensor", "gradcheck"): _DRAWN,
    ("normal.Tensor_Tensor", "gradcheck"): _DRAWN,
    ("embedding(weight=real(4x2),indices=[1,2,1,0],padding_idx=2)", "gradcheck"): _ROWS,
    ("embedding(weight=real(4x2),indices=[1,2,1,0],padding_idx=2)", "jvp"): _ROWS,
    ("embedding(weight=real(4x2),indices=[1,2,1,0],scale_grad_by_freq=True)", "gradcheck"): _ROWS,
    ("embedding(weight=real(4x2),indices=[1,2,1,0],scale_grad_by_freq=True)", "jvp"): _ROWS,
    **{
        (f"ctc_loss.{lengths}", kind): _NORMALISED
        for lengths in ("IntList", "Tensor")
        for kind in (
            *("gradcheck", "gradgradcheck", "jvp", "jvp_of_gradient", "late_tangent"),
            *("gradient_beside", "gradient_at_values"),
        )
    },
    ("slice_inverse", "transposed-layout"): _GEOMETRY,
    ("unique_consecutive(self=[2.0,2.0,1.0,1.0,2.0])", "method"): (
        "the method is written in Python, and returns only what is asked for"
    ),
    **{
        (name, "vmap"): "the count of steps is one for all examples, and is written"
        for name in _STEPS
    },
    ("_amp_foreach_non_finite_check_and_unscale_", "vmap"): (
        "what was found is one number for all examples, and is written"
    ),
    ("transpose_", "vmap"): "a batched tensor cannot change its shape in place",
    **{(name, "strided-layout"): _DENSE for name in ("_fused_sgd_", *_STEPS)},
    ("as_strided(self=real(2x3),size=[3,2],stride=[1,1],storage_offset=1)", "offset-layout"): (
        _GEOMETRY
    ),
    (
        "mm(self=real(2x0),mat2=real(0x3))",
        "bool-value",
    ): "only an empty product takes bool in PyTorch",
    **{
        (
            f"{name}(self=nonzero(3x2),dim=0,index=[2,0,2],source=nonzero(3x2),reduce=prod)",
            "bool-value",
        ): (
            "PyTorch takes truth values of matrices alone, on a path that does not ask for the dtype"
        )
        for name in ("index_reduce", "index_reduce_")
    },
    ("as_strided", "transposed-layout"): _GEOMETRY,
    ("as_strided", "strided-layout"): _GEOMETRY,
    ("as_strided", "expanded"): _GEOMETRY,
    ("as_strided", "saved_layouts"): _GEOMETRY,
    ("as_strided_scatter", "saved_layouts"): _GEOMETRY,
    **{
        ("as_strided_scatter", f"{layout}-layout"): _GEOMETRY
        for layout in ("transposed", "strided")
    },
    **{
        (
            "as_strided_scatter(self=real(2x3),src=real(2),size=[2],stride=[2],storage_offset=1)",
            kind,
        ): _GEOMETRY
        for kind in ("offset-layout", "gradient_beside", "vmap_beside")
    },
    ("as_strided_scatter", "gradient"): (
        "PyTorch's gradient of the tensor is zero in other places than those that are written"
    ),
    **{
        (name, f"{dtype}-outsider"): "floats of 8 bits have no arithmetic"
        for name in ("conv_tbc", "pdist(self=real(1x3))")
        for dtype in ("float8_e4m3fn", "float8_e5m2")
    },
    **{
        (name, "aliases"): "shares memory without being a view, which is what it is there for"
        for name in ("unsafe_chunk", "unsafe_split.Tensor", "unsafe_split_with_sizes")
    },
    ("view(self=real(2x3),size=[3,-1])", "transposed-layout"): _SPANS,
    ("view(self=real(2x3),size=[6])", "transposed-layout"): _SPANS,
    ("view_as", "transposed-layout"): _SPANS,
    ("view(self=real(2x3),size=[3,-1])", "expanded"): _SPANS,
    ("view(self=real(2x3),size=[6])", "expanded"): _SPANS,
    ("view_as", "expanded"): _SPANS,
    ("sum_to_size(self=real(2x3),size=[2,3])", "aliases"): _ITSELF,
    ("positive", "aliases"): _ITSELF,
    (
        "trapezoid.x(y=real(2x3x2),x=real(3x2),dim=1)",
        "int8-value",
    ): "sums of two neighbours wrap around, as in PyTorch",
    ("conj_physical", "aliases"): _ITSELF,
    (
        "local_response_norm(self=real(2x3x1x2),size=3,alpha=0.5,beta=0.25,k=2.0)",
        "int64-reference",
    ): "means of integers are whole numbers, as in PyTorch",
    **dict.fromkeys(
        (
            (f"lp_pool{call},norm_type=-inf,kernel_size=2,stride=1)", "uint8-reference")
            for call in (
                "1d(self=distinct(1x2x5)",
                "2d(self=distinct(1x3x4)",
                "3d(self=distinct(1x2x3x2)",
            )
        ),
        _WRAPS,
    ),
    ("is_same_size", "devices"): _SIZES_ALONE,
    ("resize_as_", "devices"): _SIZES_ALONE,
    ("einsum(equation=ii->i,tensors=[real(3x3)])", "aliases"): _ITSELF,
    ("dropout(input=real(2x3),p=0.25,train=False)", "aliases"): _ITSELF,
    ("dropout_(self=real(2x3),p=0.25,train=False)", "writes"): _ITSELF,
    ("feature_dropout(input=real(2x3x2),p=0.25,train=False)", "aliases"): _ITSELF,
    ("feature_dropout_(self=real(2x3x2),p=0.25,train=False)", "writes"): _ITSELF,
    ("alpha_dropout(input=real(2x3),p=0.25,train=False)", "aliases"): _ITSELF,
    ("alpha_dropout_(self=real(2x3),p=0.25,train=False)", "writes"): _ITSELF,
    ("feature_alpha_dropout(input=real(2x3x2),p=0.25,train=False)", "aliases"): _ITSELF,
    ("feature_alpha_dropout_(self=real(2x3x2),p=0.25,train=False)", "writes"): _ITSELF,
    ("broadcast_tensors", "aliases"): _ITSELF,
    ("type_as(self=real(2x3),other=real(2))", "aliases"): _ITSELF,
    ("atleast_1d", "aliases"): _ITSELF,
    ("atleast_2d", "aliases"): _ITSELF,
    ("atleast_3d", "aliases"): _ITSELF,
}
for _dtype in ("float32", "float16", "bfloat16"):
    EXCEPTIONS["nan_to_num(self=[1.5,nan,inf,-inf,-0.5])", f"{_dtype}-value"] = (
        "what infinity becomes depends on the dtype"
    )
for _property in ("float32-value", "float64-value", "gradient"):
    EXCEPTIONS["linalg_svd(A=real(2x3),full_matrices=False)", _property] = (
        "singular vectors are known but for their sign, which every LAPACK chooses by its own steps"
    )
for _dtype in ("float16", "bfloat16"):
    EXCEPTIONS["native_group_norm", f"{_dtype}-value"] = (
        "the statistics of 16-bit floats are float32, and those of PyTorch are not"
    )
for _call in (
    "to.dtype_layout(self=real(2x3),dtype=float64,copy=True)",
    "to.dtype(self=real(2x3),dtype=int64)",
    "to.other(self=real(2x3),other=int(2))",
):
    EXCEPTIONS[_call, "aliases"] = EXCEPTIONS[_call, "view_writes"] = _COPY
EXCEPTIONS["to.dtype(self=int(2x3),dtype=float64,copy=True)", "aliases"] = _COPY

# References that say what the samples give, and not what every call does.
_SAMPLES = "its reference does not know of windows that reach over the end"
for _call in (
    "lp_pool1d(self=distinct(1x2x5),norm_type=inf,kernel_size=3,stride=2,ceil_mode=True)",
    "lp_pool2d(self=distinct(1x3x4),norm_type=inf,kernel_size=[2,3],stride=[1,1],ceil_mode=True)",
    "lp_pool3d(self=distinct(1x2x3x2),norm_type=inf,kernel_size=[1,2,2],stride=[2,1,1],ceil_mode=True)",
    "lp_pool1d(self=positive(1x2x5),norm_type=2.5,kernel_size=2)",
    "lp_pool2d(self=positive(1x3x4),norm_type=2.5,kernel_size=2)",
    "lp_pool3d(self=positive(1x2x3x2),norm_type=2.5,kernel_size=2)",
):
    for _dtype in ("float16", "bfloat16", "float32", "float64"):
        EXCEPTIONS[_call, f"{_dtype}-variations"] = _SAMPLES

# Indices that are all the same.
_LAST_WRITE = (
    "the last write wins, or any: which one has the gradient is not defined, as in PyTorch"
)
for _call in (
    "index_copy(self=real(3x2),dim=0,index=[2,0],source=real(2x2))",
    "index_copy_(self=real(3x2),dim=0,index=[2,0],source=real(2x2))",
    *(
        f"{_name}(self={_sample})"
        for _name in ("scatter.src", "scatter_.src")
        for _sample in (
            "real(3x2),dim=0,index=[[2,0],[1,1]],src=real(2x2)",
            "real(2x3),dim=-1,index=[[0,2],[2,1]],src=real(3x2)",
        )
    ),
):
    EXCEPTIONS[_call, "duplicates"] = _LAST_WRITE
for _name in ("max_unpool1d", "max_unpool2d", "max_unpool3d"):
    EXCEPTIONS[_name, "duplicates"] = _LAST_WRITE
EXCEPTIONS[
    "embedding(weight=real(4x2),indices=[1,2,1,0],scale_grad_by_freq=True)", "duplicates"
] = _ROWS

# Derivatives and batches beside the samples.
_ANY_BASIS = (
    "columns beyond the singular values only complete a basis, without gradient, as in PyTorch"
)
for _calls, _reason in (
    (
        (
            *(
                f"linalg_svd(A=real({_shape}),full_matrices=False)"
                for _shape in ("3x2", "2x3", "2x3x2")
            ),
            *(f"svd(self=real({_shape}))" for _shape in ("3x2", "2x3x2")),
            "svd(self=real(2x3),compute_uv=False)",
        ),
        _ANY_BASIS,
    ),
    (
        (
            "embedding(weight=real(4x2),indices=[1,2,1,0],padding_idx=2)",
            "embedding(weight=real(4x2),indices=[1,2,1,0],scale_grad_by_freq=True)",
        ),
        _ROWS,
    ),
    (("normal.Tensor_float", "normal.float_Tensor", "normal.Tensor_Tensor"), _DRAWN),
    (
        (
            "as_strided(self=real(2x3),size=[2,2],stride=[1,2])",
            "as_strided(self=real(2x3),size=[3,2],stride=[1,1],storage_offset=1)",
        ),
        _GEOMETRY,
    ),
    (
        (
            "index_put(self=real(3x4),indices=[[1,1,0]],values=real(4),accumulate=True)",
            "index_put_(self=real(3x4),indices=[[1,1,0]],values=real(4),accumulate=True)",
            "put(self=real(2x3),index=below_6(4),source=real(4),accumulate=True)",
        ),
        _LAST_WRITE,
    ),
    (("nextafter(self=real(2x3),other=real(3))",), "of equal numbers the other one is given"),
    (
        (
            "gaussian_nll_loss(input=real(2x3),target=real(2x3),var=positive(2x1),eps=0.001,reduction=2)",
        ),
        "variances below eps have the gradient of those above, as in PyTorch",
    ),
):
    for _call in _calls:
        EXCEPTIONS[_call, "gradient_beside"] = _reason
        if _reason is _GEOMETRY:
            EXCEPTIONS[_call, "vmap_beside"] = _reason
        if _reason in (_ROWS, _DRAWN) or _call.startswith("nextafter"):
            EXCEPTIONS[_call, "gradient_at_values"] = _reason
for (_call, _property), _reason in list(EXCEPTIONS.items()):
    if _property == "vmap":
        EXCEPTIONS[_call, "vmap_beside"] = _reason

EXCEPTIONS["unfold(self=real(),dimension=0,size=1,step=1)", "vmap_beside"] = (
    "a window of no elements of a number has no place in a batch of numbers"
)

for _call in (
    "weight=distinct(4x2),indices=[1,2,1,0,3],offsets=[0,2,2]",
    "weight=distinct(4x2),indices=[1,2,1,0,3],offsets=[0,2,5],mode=2,include_last_offset=True",
    "weight=distinct(4x2),indices=[1,2,1,0],offsets=[0,1],per_sample_weights=real(4)",
):
    EXCEPTIONS[f"embedding_bag({_call})", "gradient_beside"] = _ROWS

# (operator, argument) -> why results, which depend on it, are not differentiated by it.
_CLASSES = "weights of classes are constants, as in PyTorch"
_STATISTICS = "running statistics are constants, as in PyTorch"
_PLACES_OF_WINDOWS = "samples say where windows begin, and a gradient of theirs is refused"
WITHOUT_GRADIENT = {
    **{
        (name, "weight"): _CLASSES
        for name in ("nll_loss", "nll_loss_nd", "nll_loss2d", "cross_entropy_loss")
    },
    **{
        (name, argument): _STATISTICS
        for name in ("batch_norm", "instance_norm")
        for argument in ("running_mean", "running_var")
    },
    **{(f"fractional_max_pool{n}d", "random_samples"): _PLACES_OF_WINDOWS for n in (2, 3)},
}

# Calls in which PyTorch computes nothing, or goes a way on which its kernels do not ask for the dtype. With
# more elements, or other strides, it refuses them as well.
_UNASKED = "PyTorch takes the dtype by accident of its path"
_FLOAT8 = [d for d in DTYPES if d.startswith("float8")]
_UNSIGNED = [d for d in DTYPES if d not in COMMON and d not in _FLOAT8]
for _dtypes, _calls in (
    (
        _FLOAT8,
        (
            "addbmm(self=real(2x4),batch1=real(2x2x3),batch2=real(2x3x4))",
            "addbmm(self=real(2x4),batch1=real(2x2x3),batch2=real(2x3x4),beta=3,alpha=-2)",
            "clamp(self=real(2x3),max=nan)",
            "clamp(self=real(2x3),min=nan)",
            "cumsum(self=real(),dim=0)",
            "index_put(self=real(3x4),indices=[[1,1,0]],values=real(4),accumulate=True)",
            "index_put_(self=real(3x4),indices=[[1,1,0]],values=real(4),accumulate=True)",
            "max.dim(self=distinct(),dim=0)",
            "min.dim(self=distinct(),dim=0)",
            "norm_except_dim(v=real(4))",
            "pow_.Tensor_Scalar(self=real(2),exponent=0)",
            "pow_.Tensor_Scalar(self=real(2),exponent=1)",
            "prod.dim_int(self=real(2x0),dim=1)",
            "sort(self=distinct())",
            "sum(self=real(2x0))",
            "sum.dim_IntList(self=real(0x3),dim=[0])",
            "sum.dim_IntList(self=real(2x3x2),dim=[-1,0],keepdim=True)",
            "sum_to_size(self=real(2x3x2),size=[3,1])",
        ),
    ),
    (
        _UNSIGNED,
        (
            "index_add(self=real(2x3),dim=-1,index=[1],source=real(2x1))",
            "index_add_(self=real(2x3),dim=-1,index=[1],source=real(2x1))",
            "max.dim(self=distinct(),dim=0)",
            "min.dim(self=distinct(),dim=0)",
            "mm(self=real(2x0),mat2=real(0x3))",
            "pow_.Tensor_Scalar(self=real(2),exponent=0)",
            "poisson_nll_loss(input=real(2x3),target=positive(2x3),log_input=True,full=False,eps=0.0,reduction=1)",
            "poisson_nll_loss(input=positive(2x3),target=positive(3),log_input=False,full=False,eps=0.125,reduction=0)",
            "pow_.Tensor_Scalar(self=real(2),exponent=1)",
        ),
    ),
    (
        _FLOAT8,
        (
            "index_reduce(self=nonzero(3x2),dim=0,index=[2,0,2],source=nonzero(3x2),reduce=prod)",
            "index_reduce_(self=nonzero(3x2),dim=0,index=[2,0,2],source=nonzero(3x2),reduce=prod)",
        ),
    ),
):
    for _call in _calls:
        for _dtype in _dtypes:
            EXCEPTIONS[_call, f"{_dtype}-outsider"] = _UNASKED
for _name in ("cummax", "cummin"):
    for _dtype in ("uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2"):
        EXCEPTIONS[f"{_name}(self=real(),dim=0)", f"{_dtype}-outsider"] = (
            "PyTorch copies a number before it asks for the dtype, and refuses vectors of it"
        )
