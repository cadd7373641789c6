"""The promotion table: the dtype, or the error, of operators over all dtypes, pairs, and scalars.

One letter per answer: a dtype, or a capital for an exception; "?" where PyTorch lacks a kernel.
"""

import warnings

from reference.dtypes import DTYPES
from reference.runner import builtin_type, dtype_name

LETTER = dict(zip(DTYPES, "bucsilhgfdpqrmn", strict=True))
LETTER.update(
    complex64="z",
    Exception="E",
    RuntimeError="R",
    TypeError="T",
    ValueError="V",
    NotImplementedError="N",
    IndexError="I",
)
NAME = {letter: name for name, letter in LETTER.items()} | {"?": "no kernel"}
SCALARS = {"bool": True, "int": 1, "float": 1.0}

# name: expression over a and b
BINARY = {
    name: f"ow.{name}(a, b)"
    for name in [
        "add",
        "sub",
        "mul",
        "div",
        "true_divide",
        "floor_divide",
        "pow",
        "atan2",
        "fmod",
        "remainder",
        "maximum",
        "minimum",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "logical_and",
        "logical_or",
        "logical_xor",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "bitwise_left_shift",
        "bitwise_right_shift",
    ]
} | {
    "add_alpha": "ow.add(a, b, alpha=2)",
    "add_float_alpha": "ow.add(a, b, alpha=1.5)",
    "sub_alpha": "ow.sub(a, b, alpha=2)",
    "div_trunc": "ow.div(a, b, rounding_mode='trunc')",
    "div_floor": "ow.div(a, b, rounding_mode='floor')",
    "where": "ow.where(ow.tensor([True, False]), a, b)",
    "clamp_min": "ow.clamp(a, min=b)",
    "clamp_max": "ow.clamp(a, max=b)",
    "lerp_scalar_weight": "ow.lerp(a, b, 0.5)",
    "lerp_same_weight": "ow.lerp(a, a, b)",
    "addcmul": "ow.addcmul(a, a, b)",
    "addcdiv": "ow.addcdiv(a, a, b)",
    "masked_fill": "ow.masked_fill(a, ow.tensor([True, False]), b)",
    "result_type": "ow.result_type(a, b)",
}
# pairs of tensors only
JOINING = {
    "cat": "ow.cat([a, b])",
    "stack": "ow.stack([a, b])",
    "mul_out": "ow.mul(a, a, out=b)",
    "add_out": "ow.add(a, a, out=b)",
    "div_out": "ow.div(a, a, out=b)",
    "eq_out": "ow.eq(a, a, out=b)",
    "sqrt_out": "ow.sqrt(a, out=b)",
    "add_": "a.add_(b)",
    "sub_": "a.sub_(b)",
    "mul_": "a.mul_(b)",
    "div_": "a.div_(b)",
    "floor_divide_": "a.floor_divide_(b)",
    "pow_": "a.pow_(b)",
    "remainder_": "a.remainder_(b)",
    "eq_": "a.eq_(b)",
    "logical_and_": "a.logical_and_(b)",
    "bitwise_and_": "a.bitwise_and_(b)",
    "copy_": "a.copy_(b)",
    "dot": "ow.dot(a, b)",
    "outer": "ow.outer(a, b)",
    "mm": "a[None] @ b[:, None]",
    "index_add": "ow.index_add(a, 0, ow.tensor([0, 1]), b)",
    "gather": "ow.gather(a, 0, b)",
    "scatter": "ow.scatter(a, 0, ow.tensor([0, 1]), b)",
    "setitem": "a.__setitem__(0, b[0]); a",
    "setitem_mask": "a.__setitem__(ow.tensor([True, False]), b[:1]); a",
    "getitem": "a[b]",
    "index_select": "ow.index_select(a, 0, b)",
    "take_along_dim": "ow.take_along_dim(a, b)",
    "mse_loss": "ow.nn.functional.mse_loss(a, b)",
    "where_condition": "ow.where(a, b, b)",
}
OPERATORS = {
    "+": "a + b",
    "-": "a - b",
    "*": "a * b",
    "/": "a / b",
    "//": "a // b",
    "%": "a % b",
    "**": "a ** b",
    "==": "a == b",
    "<": "a < b",
    "&": "a & b",
    "|": "a | b",
    "^": "a ^ b",
    "<<": "a << b",
    ">>": "a >> b",
}
UNARY = (
    {
        name: f"ow.{name}(a)"
        for name in [
            "abs",
            "neg",
            "sign",
            "exp",
            "exp2",
            "expm1",
            "log",
            "log2",
            "log10",
            "log1p",
            "sqrt",
            "rsqrt",
            "square",
            "reciprocal",
            "sin",
            "cos",
            "tan",
            "asin",
            "acos",
            "atan",
            "sinh",
            "cosh",
            "tanh",
            "erf",
            "sigmoid",
            "relu",
            "floor",
            "ceil",
            "round",
            "trunc",
            "frac",
            "isnan",
            "isinf",
            "isfinite",
            "logical_not",
            "bitwise_not",
            "sum",
            "mean",
            "prod",
            "amax",
            "amin",
            "max",
            "min",
            "argmax",
            "argmin",
            "any",
            "all",
            "var",
            "std",
            "norm",
            "logsumexp",
            "cumsum",
            "cumprod",
            "sort",
            "argsort",
            "unique",
            "nonzero",
            "softmax",
            "log_softmax",
            "zeros_like",
            "ones_like",
            "clone",
            "tril",
            "flip",
        ]
    }
    | {
        name: f"ow.nn.functional.{name}(a)"
        for name in [
            "gelu",
            "silu",
            "softplus",
            "leaky_relu",
            "elu",
            "hardtanh",
            "one_hot",
            "normalize",
        ]
    }
    | {
        "neg operator": "-a",
        "invert operator": "~a",
        "pos operator": "+a",
        "abs operator": "abs(a)",
        "clamp": "ow.clamp(a, 0, 1)",
        "clamp float": "ow.clamp(a, 0.5)",
        "sum float32": "ow.sum(a, dtype=ow.float32)",
        "sum int32": "ow.sum(a, dtype=ow.int32)",
        "mean float64": "ow.mean(a, dtype=ow.float64)",
        "prod float16": "ow.prod(a, dtype=ow.float16)",
        "cumsum int16": "ow.cumsum(a, 0, dtype=ow.int16)",
        "softmax dim": "ow.softmax(a, 0)",
        "softmax float64": "ow.softmax(a, 0, dtype=ow.float64)",
        "log_softmax dim": "ow.log_softmax(a, 0)",
        "logsumexp dim": "ow.logsumexp(a, 0)",
        "cumsum dim": "ow.cumsum(a, 0)",
        "cumprod dim": "ow.cumprod(a, 0)",
        "norm dim": "ow.norm(a, 2, 0)",
        "max dim": "ow.max(a, 0).values",
        "all dim": "ow.all(a, 0)",
        "any dim": "ow.any(a, 0)",
        "argmax dim": "ow.argmax(a, 0)",
        "topk": "ow.topk(a, 1).values",
        "sort values": "ow.sort(a).values",
        "randn_like": "ow.randn_like(a)",
        "rand_like": "ow.rand_like(a)",
        "full_like": "ow.full_like(a, 1.5)",
        "normal_": "a.normal_()",
        "uniform_": "a.uniform_()",
        "bernoulli": "ow.bernoulli(a)",
        "fill_": "a.fill_(1.5)",
        "requires_grad_": "a.requires_grad_()",
        "exp_": "a.exp_()",
        "sigmoid_": "a.sigmoid_()",
        "floor_": "a.floor_()",
        "relu_": "a.relu_()",
    }
)


def _run(ow, code, **inputs):
    body, _, last = code.rpartition("; ")
    scope = {"ow": ow, **inputs}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(body, scope)
        return eval(last, scope)


def _letter(ow, code, **inputs):
    try:
        value = _run(ow, code, **inputs)
    except Exception as error:
        if "not implemented for" in str(error):
            return "?"
        return LETTER.get(builtin_type(error), "E")
    dtype = getattr(value, "dtype", value)
    return LETTER.get(dtype_name(dtype), "?")


def _vector(ow, dtype):
    return ow.tensor([1, 1], dtype=getattr(ow, dtype))


def _zero_dim(ow, dtype):
    return ow.tensor(1, dtype=getattr(ow, dtype))


def _pairs(ow, code, left, right):
    """One word per dtype of a, one letter per dtype of b."""
    return " ".join("".join(_letter(ow, code, a=a(ow), b=b(ow)) for b in right) for a in left)


def _makers(make):
    return [lambda ow, d=d: make(ow, d) for d in DTYPES]


_VECTORS, _ZERO_DIMS = _makers(_vector), _makers(_zero_dim)
_SCALARS = [lambda ow, s=s: s for s in SCALARS.values()]
KINDS = {
    "tensor, tensor": (_VECTORS, _VECTORS),
    "tensor, 0-dim": (_VECTORS, _ZERO_DIMS),
    "0-dim, tensor": (_ZERO_DIMS, _VECTORS),
    "0-dim, 0-dim": (_ZERO_DIMS, _ZERO_DIMS),
    "tensor, scalar": (_VECTORS, _SCALARS),
    "0-dim, scalar": (_ZERO_DIMS, _SCALARS),
    "scalar, tensor": (_SCALARS, _VECTORS),
}


def questions():
    """Every entry of the table: {"operator: kind": (expression, left makers, right makers)}."""
    found = {}
    for kind, sides in KINDS.items():
        for name, code in {**BINARY, **OPERATORS}.items():
            found[f"{name}: {kind}"] = (code, *sides)
    for name, code in JOINING.items():
        found[f"{name}: tensor, tensor"] = (code, _VECTORS, _VECTORS)
    for name, code in UNARY.items():
        found[f"{name}: tensor"] = (code, [lambda ow: None], _VECTORS)
    return found


def ask(ow, question):
    """The answer to one question as letters."""
    code, left, right = question
    if len(left) == 1:
        return "".join(_letter(ow, code, a=make(ow)) for make in right)
    return _pairs(ow, code, left, right)


def record(ow):
    return {key: ask(ow, question) for key, question in questions().items()}


def agree(key, got, want):
    """Whether an answer fits the recorded one; where PyTorch has no kernel, any answer does. Logical
    operators read the truth of each operand by itself: they compute, too, where operands do not promote."""
    if key.startswith("logical_") and "_:" not in key and want == "R" and got == LETTER["bool"]:
        return True
    return want == "?" or got == want or (want in "RN" and got in "RN?")


def labels(kind):
    """Names of the rows and columns of an answer."""
    left, _, right = kind.rpartition(", ")
    names = [list(SCALARS) if side == "scalar" else list(DTYPES) for side in (left, right)]
    return names if left else ([""], names[1])
