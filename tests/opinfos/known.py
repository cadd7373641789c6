"""Differences from PyTorch that are meant, or that nobody decides, each with its reason."""

from fnmatch import fnmatch
from typing import NamedTuple


class Known(NamedTuple):
    """Which differences: of operators with such names, of such kinds, with such words, in such dtypes."""

    names: str
    kinds: str
    reason: str
    says: str = ""
    dtypes: str = ""

    def covers(self, found):
        return (
            any(fnmatch(found["name"], name) for name in self.names.split())
            and found["kind"] in self.kinds.split()
            and self.says in found["words"]
            and (not self.dtypes or found["dtype"] in self.dtypes.split())
        )


_WHOLE = "uint8 int8 int16 int32 int64 bool"
_NARROW = "bfloat16 float16"
_NN = "nn.functional."

KNOWN = (
    # --- what nobody decides
    Known("empty* new_empty*", "values", "Memory as it was found."),
    Known("kthvalue topk mode sort argsort", "values", "Of equal elements either is right."),
    Known("svd linalg.svd", "values", "Singular vectors are determined up to their sign."),
    Known("take", "values", "The result is written over the input."),
    Known("logspace", "values", "Numbers beyond the dtype.", dtypes="uint8"),
    Known(
        "gradient",
        "exception",
        "Complex numbers are refused before dimensions are.",
        "ComplexFloat",
    ),
    # --- losses that are one entry
    Known(
        f"{_NN}soft_margin_loss {_NN}poisson_nll_loss",
        "values",
        "In registers of 32 bits exp() does not overflow before its logarithm.",
        dtypes="float16",
    ),
    Known(
        f"{_NN}cosine_embedding_loss {_NN}hinge_embedding_loss {_NN}margin_ranking_loss",
        "values",
        "Differences of whole numbers do not wrap around on the way to a loss.",
        dtypes="uint8",
    ),
    Known(
        f"{_NN}margin_ranking_loss {_NN}poisson_nll_loss",
        "accepted",
        "Truth values are the numbers 0 and 1 in a loss.",
        dtypes="bool",
    ),
    Known(
        f"{_NN}soft_margin_loss", "exception", "Refused here by the result's dtype.", dtypes="bool"
    ),
    # --- numbers of few bits
    Known(
        f"cov histc div.trunc_rounding native_layer_norm {_NN}grid_sample grid_sampler_* {_NN}nll_loss "
        f"{_NN}hinge_embedding_loss",
        "values",
        "PyTorch rounds in between.",
        dtypes=_NARROW,
    ),
    Known("native_*_norm", "dtype refused", "Statistics are kept in float32.", dtypes=_NARROW),
    Known(f"{_NN}interpolate.bi*", "values", "PyTorch rounds weights to 16 bits.", dtypes="uint8"),
    Known(f"{_NN}softsign", "values", "In PyTorch 1 + 255 is 0.", dtypes="uint8"),
    # --- dtypes
    Known("*", "accepted", "It computes in more dtypes.", "not implemented for"),
    Known(
        f"{_NN}soft_margin_loss {_NN}gaussian_nll_loss {_NN}embedding_bag {_NN}hinge_embedding_loss",
        "accepted dtype",
        "It computes in more dtypes; of integers in floats.",
        dtypes=_WHOLE,
    ),
    Known(
        f"baddbmm kthvalue linspace* matmul *softmax *softmin native_group_norm {_NN}group_norm mm "
        f"{_NN}adaptive_avg_pool1d {_NN}bilinear __rmatmul__ randn_like bernoulli tensordot "
        f"{_NN}dropout?d",
        "refused",
        "PyTorch takes any dtype where there are no elements.",
        dtypes=_WHOLE,
    ),
    Known(
        "svd linalg.svd linalg.svdvals",
        "refused",
        "PyTorch takes any dtype where there are no elements.",
        dtypes=_NARROW,
    ),
    # --- what there is not
    Known(f"{_NN}embedding*", "refused", "There are no sparse gradients.", "sparse gradients"),
    Known(f"{_NN}avg_pool2d", "refused", "It has no out.", "'out'"),
    # --- layout and memory
    Known(
        "nonzero argwhere quantile nanquantile unique unique_consecutive unravel_index",
        "stride",
        "They are contiguous.",
    ),
    Known("float", "stride shares", "A memory format that is asked for is given."),
    Known("resize_ resize_as_", "written", "What was saved before is lost: autograd is told."),
    Known("kron", "written", "PyTorch does not count what it writes to out."),
    Known(f"{_NN}dropout3d", "written", "Nothing is dropped, so nothing is written."),
    # --- gradients
    Known("as_strided_scatter", "gradient", "PyTorch's is not that of what it computes."),
    Known("sgn", "accepted", "PyTorch's gradient of nothing has no memory.", "invalid python"),
    # --- errors
    Known(
        "bitwise_* remainder xlogy",
        "accepted",
        "Two numbers are tensors, as in add().",
        "invalid combination of arguments",
    ),
    Known("index_select", "accepted", "An out of another size is another tensor.", "single memory"),
    Known("__r*__", "refused exception", "They are methods: self is a tensor.", "descriptor"),
    Known(
        "linspace* logspace*", "exception", "A vector is no number.", "must be Number, not Tensor"
    ),
    Known(
        "cat", "exception", "Without tensors there is none to dispatch by.", "there is no tensor"
    ),
    Known(
        f"narrow_copy {_NN}group_norm {_NN}ctc_loss {_NN}embedding_bag float_power",
        "exception",
        "PyTorch's comes from further down.",
    ),
)


def unknown(found, known=KNOWN):
    """Those of the differences that no entry covers."""
    return [each for each in found if not any(entry.covers(each) for entry in known)]


def unused(found, known=KNOWN):
    """The entries that cover none."""
    return [entry for entry in known if not any(entry.covers(each) for each in found)]
