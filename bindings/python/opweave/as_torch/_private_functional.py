"""Private functions of torch.autograd.functional, which programs take to write derivatives of their own."""

from opweave import _C, autograd
from opweave._vmap_internals import _vmap  # noqa: F401 - as names_elsewhere.txt says


def _as_tuple(inp, arg_name=None, fn_name=None):
    """Whether it is a tuple, and a tuple of the tensors.

    Raises:
        TypeError: something else than tensors, if the argument has a name.
    """
    is_tuple = isinstance(inp, tuple)
    tensors = inp if is_tuple else (inp,)
    for i, tensor in enumerate(tensors):
        if not isinstance(tensor, _C.Tensor):
            where = f" but the value at index {i}" if is_tuple else " but the given one"
            given = arg_name or "inputs"
            raise TypeError(
                f"The {given} given to {fn_name} must be either a Tensor or a tuple of Tensors{where} "
                f"has type {type(tensor)}."
            )
    return is_tuple, tensors


def _tuple_postprocess(res, to_unpack):
    """Undoes _as_tuple(), by what it said of a tuple: one tensor, no tuple of it, where that was given.

    Args:
        to_unpack: for tuples of tuples two answers, of the outer and the inner ones.
    """
    outer, inner = to_unpack if isinstance(to_unpack, tuple) else (to_unpack, True)
    if not inner:
        res = tuple(tensors[0] for tensors in res)
    return res if outer else res[0]


def _grad_preprocess(inputs, create_graph, need_graph):
    """Inputs to take gradients of: views where the graph goes on to those given, else cut off."""
    return tuple(
        tensor.view_as(tensor)
        if create_graph and tensor.requires_grad
        else tensor.detach().requires_grad_(need_graph)
        for tensor in inputs
    )


def _grad_postprocess(inputs, create_graph):
    """Results as they are if the graph is wanted, else cut off."""
    if isinstance(inputs[0], _C.Tensor):
        return inputs if create_graph else tuple(tensor.detach() for tensor in inputs)
    return tuple(_grad_postprocess(tensors, create_graph) for tensors in inputs)


def _check_requires_grad(inputs, input_type, strict):
    """RuntimeError with `strict` for a tensor that does not depend on what it is derived by.

    Args:
        input_type: "outputs", "grad_inputs", "jacobian" or "hessian", for the text.
    """
    if input_type not in ("outputs", "grad_inputs", "jacobian", "hessian"):
        raise RuntimeError("Invalid input_type to _check_requires_grad")
    for i, tensor in enumerate(inputs if strict else ()):
        if tensor is None or not tensor.requires_grad:
            raise RuntimeError(
                f"Number {i} of the {input_type} is independent of the inputs, which strict mode does not "
                "allow"
            )


def _autograd_grad(
    outputs,
    inputs,
    grad_outputs=None,
    create_graph=False,
    retain_graph=None,
    is_grads_batched=False,
):
    """Gradients of those outputs that have any, with None where there is none."""
    given = [None] * len(outputs) if grad_outputs is None else grad_outputs
    pairs = [
        (o, g) for o, g in zip(outputs, given, strict=True) if o is not None and o.requires_grad
    ]
    if not pairs:
        return (None,) * len(inputs)
    return autograd.grad(
        [o for o, _ in pairs],
        inputs,
        [g for _, g in pairs],
        allow_unused=True,
        create_graph=create_graph,
        retain_graph=retain_graph,
        is_grads_batched=is_grads_batched,
    )


def _construct_standard_basis_for(tensors, tensor_numels):
    """For each tensor a matrix: together, in a row, they are the identity of all their elements."""
    total = sum(tensor_numels)
    identity = _C.eye(total, dtype=tensors[0].dtype, device=tensors[0].device)
    parts = identity.split(list(tensor_numels), dim=1)
    return tuple(p.to(t.dtype).to(t.device) for p, t in zip(parts, tensors, strict=True))


def _validate_v(v, other, is_other_tuple):
    """RuntimeError unless vectors have the sizes of what they are multiplied with."""
    if len(v) != len(other):
        kind = "tuple" if is_other_tuple else "Tensor"
        raise RuntimeError(
            f"v is a tuple of {len(v)}, which should be {len(other)}, as the given {kind}"
        )
    for i, (one, another) in enumerate(zip(v, other, strict=True)):
        if one.size() != another.size():
            raise RuntimeError(
                f"v has invalid size at {i}: should be {another.size()} but got {one.size()}."
            )
