"""Answers that differ from PyTorch's on purpose: why, and the ids of the tests."""

_IDS_BY_REASON = {
    "an empty list of tensors is a RuntimeError, as for stack()": [
        "shapes: cat([]) | a=2x3 b=4x5 float64",
    ],
    "gelu(infinity) is infinity; PyTorch multiplies 0 by infinity in some dtypes": [
        "gelu: F.gelu(a) | a=[nan,inf,-inf,~b789 float32",
        "gelu: F.gelu(a) | a=[nan,inf,-inf,~b789 float16",
        "gelu: F.gelu(a) | a=[nan,inf,-inf,~b789 bfloat16",
    ],
    "an exponent of 0.5 means what C pow() says: infinity for -infinity": [
        "pow: pow(a, 0.5) | a=[nan,inf,-inf,~b789 float64",
        "pow: pow(a, 0.5) | a=[nan,inf,-inf,~b789 float32",
    ],
    "an exponent of -0.5 means what C pow() says: 0 for -infinity, infinity for -0": [
        "pow: pow(a, -0.5) | a=[nan,inf,-inf,~b789 float64",
        "pow: pow(a, -0.5) | a=[nan,inf,-inf,~b789 float32",
    ],
    "what logical_not_ overwrites has gradient 0; PyTorch lets the gradient pass": [
        "logical_not: c = a.clone(); r = c.logical_not_(); (r is c, r) | a=2x3 gradient",
    ],
    "what logical_and_ overwrites has gradient 0; PyTorch lets the gradient pass": [
        "logical_and: c = a.clone(); r = c.logical_and_(b); (r is c, r) | a=2x3 b=positive 3 gradient",
    ],
    "what logical_or_ overwrites has gradient 0; PyTorch lets the gradient pass": [
        "logical_or: c = a.clone(); r = c.logical_or_(b); (r is c, r) | a=2x3 b=positive 3 gradient",
    ],
    "what logical_xor_ overwrites has gradient 0; PyTorch lets the gradient pass": [
        "logical_xor: c = a.clone(); r = c.logical_xor_(b); (r is c, r) | a=2x3 b=positive 3 gradient",
    ],
    "the second derivative of 0 ** a is 0; PyTorch multiplies 0 by the logarithm of 0": [
        "pow: pow(0, a) | a=small 5 second",
    ],
    "second derivatives at integer exponents are numbers; PyTorch has NaN from log of a negative base": [
        "pow: pow(a, b) | a=[0.0,0.0,2.0,-2.0,-2.0] b=[0.0,2.0,3.0,2.0,3.0] second",
    ],
    "a weight has the dtype of the ends, zero-dim or not": [
        "lerp_same_weight: tensor, 0-dim",
        "lerp_same_weight: 0-dim, 0-dim",
    ],
    "PyTorch fills powers of 1 without looking at the dtype; a dtype without arithmetic has no powers": [
        "pow: scalar, tensor",
        "**: scalar, tensor",
    ],
    "logical operators take every dtype in place, too, as they do otherwise": [
        "logical_and_: tensor, tensor",
    ],
    "normalize refuses a dtype without norms before it looks at its dimension": [
        "normalize: tensor",
    ],
    "equal elements: which of them comes first is not defined": [
        "sort: topk(a, 3, 0) | a=distinct 7 uint8",
    ],
    "the variance of one element has no derivative: NaN once, not twice": [
        "var: var(a, 0) | a=1 second",
        "var: var(a, -1) | a=1 second",
        "var: var(a, 0, keepdim=True) | a=1 second",
        "var: var(a, 0) | a=1x2 second",
    ],
    "counting elements has gradient 0; PyTorch gives none": [
        "norm: a.norm(0) | a=3x4 gradient",
    ],
    "the second derivative of a norm at 0: 0, the subgradient; PyTorch gives NaN": [
        "norm: a.norm() | a=[[0.0,0.0],[0.0,0.0]] second",
        "norm: a.norm(dim=0) | a=[[0.0,0.0],[0.0,0.0]] second",
    ],
}
DEVIATIONS = {identifier: reason for reason, ids in _IDS_BY_REASON.items() for identifier in ids}
