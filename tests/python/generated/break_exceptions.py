"""Broken calls that are taken or refused unlike in PyTorch, and why.

Each table has one reason. It says of which breaks of an operator (tests/reference/breaks.py) that is so;
`weight: size*` stands for all that begin so.
"""

DTYPES = ("float32", "int64", "int32", "uint8", "bool")
SIZES_OF_PARAMETERS = ("one dimension less", "size(0)*")

# PyTorch's kernel reads as many elements as it expects, whatever there is: beyond the end, or the first ones
# of what is too long. Nothing is wrong here but the call.
READ_BEYOND = {
    "native_batch_norm": [
        "input: one dimension more",
        "input: one dimension less",
        "input: size(1)*",
        *(f"{name}: {size}" for name in ("weight", "bias") for size in SIZES_OF_PARAMETERS),
        "running_mean: size(0)*",
        "running_var: size(0)*",
    ],
    "native_group_norm": ["N=0"],
    "scaled_dot_product_attention": ["value: size*", "query: size(1) 0"],
    "ctc_loss.IntList": ["log_probs: size(2) one less"],
    "ctc_loss.Tensor": ["log_probs: size(2) one less"],
    "take_along_dim": ["self: size(0) one less", "self: size(1) one less"],
    "index_add": ["self: size*"],
    "index_add_": ["self: size*"],
    "segment_reduce": ["data: one dimension*", "data: size(0)*", "lengths: size(0)*"],
}
# What is empty, or one element, takes a way of its own in PyTorch, on which nothing is checked any more.
UNCHECKED_WHERE_EMPTY = {
    "bernoulli_.Tensor": ["self: size*"],
    "native_dropout": ["input: size*"],
    "cumsum": ["dtype=bool"],
    "linspace": ["dtype=bool"],
    "rrelu_": ["upper=inf"],  # bounds of what is written
    "mm": ["all: bool"],
    "pixel_unshuffle": ["self: size*"],
    "repeat_interleave.Tensor": ["repeats: size(0) 0"],
}
# Numbers that mean nothing: a probability below 0 or NaN, for which PyTorch divides by what it gives, and the
# number of a mode that there is not.
NONSENSE = {
    "cross_entropy_loss": ["label_smoothing=-1.0", "label_smoothing=nan"],
    "scaled_dot_product_attention": ["dropout_p=-1.0", "dropout_p=nan"],
    **{
        name: ["interpolation_mode=*", "padding_mode=*"]
        for name in ("grid_sampler", "grid_sampler_2d", "grid_sampler_3d")
    },
}
# Convolutions of PyTorch refuse a bias of another dtype, but not on every way to the same kernel.
BIAS_OF_ANOTHER_DTYPE = {
    name: [f"bias: {dtype}" for dtype in DTYPES]
    for name in (
        "convolution",
        "conv1d.padding",
        "conv2d.padding",
        "conv3d.padding",
        "conv_transpose1d",
        "conv_transpose2d.input",
        "linear",
    )
}
BIAS_OF_ANOTHER_DTYPE["conv_tbc"] = [f"bias: {dtype}" for dtype in DTYPES] + ["all but bias: int64"]
for _name in ("convolution", "conv1d.padding", "conv2d.padding", "conv3d.padding"):
    BIAS_OF_ANOTHER_DTYPE[_name].append("all but bias: int64")
# A shape or dtype that PyTorch lets pass in this form and refuses in another one of the same operator: it
# looks at the number of elements, or at one size alone, or squeezes and resizes what it fills.
UNEVEN = {
    "bilinear": ["bias=ones(2, 2)"],
    "conv_tbc": ["weight: size(0) 0", "self: size(0) 0", "pad=-1"],  # not so conv1d
    "clamp.Tensor": ["all: bool"],
    "clip.Tensor": ["all: bool"],
    "binary_cross_entropy": [
        "self: one dimension less",
        "self: no dimension",
        "self: size(0) one less",
        "target: one dimension more",
    ],
    "instance_norm": ["input: float32", "running_mean: *", "all but input: int64"],
    "linear": ["bias: one dimension more"],
    "nll_loss2d": ["weight: one dimension more"],
    "nll_loss_nd": ["weight: one dimension more"],
}
# Fewer coordinates than elements, or more, which in PyTorch broadcast where they leave a single step.
COORDINATES = {
    name: ["self: size(*", "spacing[-1]: size(0)*"]
    for name in ("gradient.tensorarray", "gradient.tensorarrayint")
}
# The other way round: PyTorch takes it in another form of the same operator, and refuses it here because of
# an algorithm, of an `int` that overflows or of a formula that gets lost.
REFUSED_BY_ACCIDENT = {
    "col2im": ["self: int64", "self: int32", "self: uint8"],  # it has bool
    "conv_transpose3d.input": ["stride=*", "dilation=*"],
    "cross_entropy_loss": ["target: uint8"],
    "im2col": ["self: int64", "self: int32", "self: uint8"],  # it has bool
    "index.Tensor": ["indices[-1]: one dimension less"],  # a mask of no dimensions
    "isin.Scalar_Tensor": ["test_elements: size(1) one less"],  # it flattens by view()
    "logsumexp": ["dim=[]"],
    "norm_except_dim": ["v: size(0) 0", "v: size(1) 0"],  # it flattens by view()
    "max_pool1d": ["self: *"],  # max_pool1d_with_indices and max_pool2d have integers
    "scaled_dot_product_attention": ["attn_mask=ones(1,)", "attn_mask=ones(2,)"],
}
# A number is written through a mask of uint8 as through one of bool. Leading dimensions of size 1 fall off
# the values of `x[i] = values` in PyTorch, too.
INDEX_PUT = {
    name: ["values: one dimension more", "indices[-1]: uint8"]
    for name in ("index_put", "index_put_")
}
# PyTorch computes with steps of more than 32 bits in one of its ways to pool, and refuses them in the others.
WIDE_STEPS = {
    "max_pool1d": ["stride=[4611686018427387904]"],
    "im2col": ["stride=[4611686018427387904, *", "stride=[1, 4611686018427387904]"],
}
# A list of one number stands for all, here as in the other operators with windows.
ONE_FOR_ALL = {
    "im2col": [
        *("kernel_size=[2]", "dilation=[1]", "dilation=[2]", "padding=[0]", "padding=[1]"),
        "stride=[1]",
    ],
    "col2im": ["kernel_size=[2]", "dilation=[1]", "padding=[0]", "stride=[1]"],
    "fractional_max_pool2d": [
        *("kernel_size=[2]", "kernel_size=[3]", "output_size=[1]", "output_size=[2]"),
    ],
}
# A truth value suits numbers of no other kind, here as for `alpha`; PyTorch takes it for 1.
TRUTH_AS_NUMBER = {"hardshrink": ["all: float32, lambd=True"]}
# What is not here: sparse gradients, pinned memory, and a kernel for a list of no tensors.
MISSING = {
    "broadcast_tensors": ["tensors=[]"],
    "embedding": ["sparse=True"],
    "to.dtype_layout": ["pin_memory=True"],
}
# PyTorch refuses quotients of integers, and says that they will be true ones: here they are.
ANNOUNCED = {"addcdiv": ["all but self: int64"]}
# What nn.functional refuses in PyTorch, the function of that name in the top module lets pass there: here
# they are one. An order of differences looks at its dimension even where there is none to take.
CHECKED_IN_BOTH = {
    "diff": ["dim=*"],
    "margin_ranking_loss": [
        f"{name}: {change}*" for name in ("input1", "input2", "target") for change in ("one", "no")
    ],
    "multi_margin_loss": ["p=1.5"],
    "triplet_margin_loss": ["margin=-1.0", "margin=0.0", "margin=nan"],
}
# PyTorch has no difference of truth values, on its way to numbers: here they are the numbers 0 and 1.
TRUTHS_OF_LOSSES = {
    "hinge_embedding_loss": ["self: bool", "all: bool"],
    "margin_ranking_loss": [*(f"{n}: bool" for n in ("input1", "input2", "target")), "all: bool"],
    "poisson_nll_loss": ["input: bool", "target: bool", "all: bool"],
    "cumulative_trapezoid.dx": ["all: float32, dx=True", "all: int64, dx=True"],
    "trapezoid.dx": ["all: float32, dx=True", "all: int64, dx=True"],
}
_ONE_GATE = ("rnn_tanh", "rnn_relu")
_NETWORKS = ("lstm", "gru", *_ONE_GATE)
# PyTorch's recurrent networks broadcast one state to all examples, or one example to all states, read the
# first of too many states, and leave alone what belongs to no step; where all is one, sequences without
# examples come as far as that. Here their sizes are those of the input, as layers say.
OTHER_STATES = {
    **{
        f"{name}.input": ["batch_first=False", "input: size(0) one less", "input: size(1) one less"]
        for name in _NETWORKS
    },
    **{
        f"{name}.data": ["batch_sizes: size(0) one less", "data: size(0) one more"]
        for name in _NETWORKS
    },
}
for _name in ("gru", *_ONE_GATE):
    OTHER_STATES[f"{_name}.input"] += ["hx: size(1) 0", "hx: size(1) one more"]
for _name in _ONE_GATE:
    OTHER_STATES[f"{_name}.input"] += ["hx: one dimension more", "input: one dimension*"]
OTHER_STATES["lstm.input"] += ["hx[-1]: size*", "input: one dimension*"]
OTHER_STATES["lstm.data"] += ["hx[-1]: size*"]
# PyTorch reads batch sizes where they lie, as int64.
OTHER_BATCH_SIZES = {
    f"{name}.data": [f"batch_sizes: {b}" for b in ("strided", "int32", "uint8")]
    for name in _NETWORKS
}
# Integers times floats, which PyTorch takes in this one place; integers alone it refuses, as is done here.
MIXED_PRODUCTS = {"lstm_cell": ["all but w_hh: int64"]}
TABLES = (
    ANNOUNCED,
    CHECKED_IN_BOTH,
    TRUTHS_OF_LOSSES,
    TRUTH_AS_NUMBER,
    READ_BEYOND,
    UNCHECKED_WHERE_EMPTY,
    NONSENSE,
    BIAS_OF_ANOTHER_DTYPE,
    UNEVEN,
    COORDINATES,
    REFUSED_BY_ACCIDENT,
    INDEX_PUT,
    WIDE_STEPS,
    ONE_FOR_ALL,
    MISSING,
    OTHER_STATES,
    OTHER_BATCH_SIZES,
    MIXED_PRODUCTS,
)


def is_listed(name, breaks):
    return any(name.startswith(b[:-1]) if b.endswith("*") else name == b for b in breaks)


def excused(operator, name, answer):
    """Whether the outcome of a call, which PyTorch answers otherwise, is meant."""
    if "uint16" in name:
        return True  # which dtypes of those that do not promote are taken, test_outsiders compares
    if name.startswith("reduction="):
        # No reduction has that number. Some of PyTorch's losses refuse it, others take it for 'none'.
        return answer != "refused"
    return any(is_listed(name, table.get(operator.full_name, ())) for table in TABLES)
