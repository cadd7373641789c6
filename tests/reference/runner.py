"""Runs reference cases in any module with PyTorch's interface; the answers become plain data."""

import ast
import dataclasses
import math
import warnings

import numpy

from reference.samples import build, weights

_DIGITS = {"float64": 13, "float32": 9, "float16": 6, "bfloat16": 5}


def _namespace(ow, dtype):
    functional = getattr(getattr(ow, "nn", None), "functional", None)
    scope = {"ow": ow, "F": functional, "np": numpy, "math": math, "nan": math.nan, "inf": math.inf}
    if dtype:
        scope["dt"] = getattr(ow, dtype)
    return scope


def execute(code, scope):
    """Runs `code`; the value of its last expression."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(tree, code, "exec"), scope)
        return eval(compile(ast.Expression(last.value), code, "eval"), scope) if last else None


def dtype_name(dtype):
    return str(dtype).rpartition(".")[2]


def _flatten(values):
    if not isinstance(values, list):
        return [values]
    return [x for item in values for x in _flatten(item)]


def _rounded(values, dtype):
    digits = _DIGITS.get(dtype)
    if digits is None:
        return values
    return [v if v != v or math.isinf(v) else float(f"{v:.{digits}g}") for v in values]


def _layout(tensor, inputs):
    """Strides and offset, and which inputs share their first byte's storage with the tensor."""
    start = tensor.data_ptr() - tensor.storage_offset() * tensor.element_size()
    return {
        "stride": list(tensor.stride()),
        "offset": tensor.storage_offset(),
        "is_view": tensor._is_view(),
        "aliases": [
            name
            for name, x in inputs.items()
            if x.data_ptr() - x.storage_offset() * x.element_size() == start and tensor.numel()
        ],
    }


def encode(ow, value, case, inputs):
    """An answer as JSON-ready data."""
    if isinstance(value, ow.Tensor):
        dtype = dtype_name(value.dtype)
        out = {"dtype": dtype, "shape": list(value.shape)}
        if case.values:
            out["values"] = _rounded(_flatten(value.tolist()), dtype)
        return {**out, **_layout(value, inputs)} if case.view else out
    if isinstance(value, (list, tuple)):
        return [encode(ow, v, case, inputs) for v in value]
    if isinstance(value, dict):
        return {"dict": {str(k): encode(ow, v, case, inputs) for k, v in value.items()}}
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return {"float": _rounded([value], "float64")[0]}
    return {"repr": dtype_name(value)}


def builtin_type(error):
    """The name of the first built-in exception type of an error."""
    return next(t.__name__ for t in type(error).__mro__ if t.__module__ == "builtins")


def inputs_of(ow, case, dtype, device):
    built = {name: build(ow, sample, name, dtype) for name, sample in case.inputs.items()}
    return built if device == "cpu" else {name: x.to(device) for name, x in built.items()}


def restore(ow):
    """Undoes what a case may have done to the state of the module."""
    getattr(ow, "set_default_dtype", lambda dtype: None)(ow.float32)
    getattr(ow, "set_printoptions", lambda profile: None)(profile="default")
    getattr(ow, "set_grad_enabled", lambda mode: None)(True)


def answer(ow, case, dtype, device="cpu"):
    """What a case gives: {"value": …} or {"error": type, "message": …}."""
    scope = _namespace(ow, dtype)
    inputs = inputs_of(ow, case, dtype, device)
    try:
        value = execute(case.code, {**scope, **inputs})
    except Exception as error:
        if not case.raises:
            raise
        return {"error": builtin_type(error), "message": str(error)}
    finally:
        restore(ow)
    return {"value": encode(ow, value, case, inputs)}


def _tensors(ow, value):
    if isinstance(value, ow.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in _tensors(ow, v)]
    return []


def _contract(ow, outputs, inputs, salt, **options):
    """Gradients of the outputs, weighted with fixed weights."""

    def start(i, o):
        values = weights(tuple(o.shape), f"{salt} {i}")
        return ow.tensor(values, dtype=o.dtype, device=o.device).reshape(o.shape)

    starts = [start(i, o) for i, o in enumerate(outputs)]
    return ow.autograd.grad(outputs, inputs, starts, allow_unused=True, **options)


def _differentiable(inputs, case):
    return {n: x for n, x in inputs.items() if x.dtype.is_floating_point and case.inputs[n].grad}


def _leaves(ow, case, device):
    inputs = inputs_of(ow, case, "float64", device)
    leaves = _differentiable(inputs, case)
    for x in leaves.values():
        x.requires_grad_()
    value = execute(case.code, {**_namespace(ow, "float64"), **inputs})
    outputs = [t for t in _tensors(ow, value) if t.requires_grad and t.dtype == ow.float64]
    return leaves, outputs


def _by_name(ow, leaves, grads, case):
    """Gradients as data; the copy fills in what PyTorch keeps as a zero without storage."""
    plain = dataclasses.replace(case, view=False)
    grads = [g if g is None else ow.zeros(g.shape, dtype=g.dtype).copy_(g.detach()) for g in grads]
    return {n: encode(ow, g, plain, {}) for n, g in zip(leaves, grads, strict=False)}


def gradient(ow, case, device="cpu"):
    """First derivatives in float64: {input: gradient or None}; None if nothing requires grad."""
    leaves, outputs = _leaves(ow, case, device)
    if not outputs or not leaves:
        return None
    return _by_name(ow, leaves, _contract(ow, outputs, list(leaves.values()), "first"), case)


def second_gradient(ow, case, device="cpu"):
    """Derivatives of the weighted sum of the first derivatives; None where these are constant."""
    leaves, outputs = _leaves(ow, case, device)
    if not outputs or not leaves:
        return None
    inputs = list(leaves.values())
    first = _contract(ow, outputs, inputs, "first", create_graph=True)
    first = [g for g in first if g is not None and g.requires_grad]
    if not first:
        return None
    return _by_name(ow, leaves, _contract(ow, first, inputs, "second"), case)
