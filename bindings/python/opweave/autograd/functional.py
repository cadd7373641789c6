"""Derivatives of functions, after torch.autograd.functional."""

from opweave import _C, autograd
from opweave._C import Tensor
from opweave._grad_mode import enable_grad
from opweave.autograd import forward_ad


def _tensors_of(values, what):
    single = isinstance(values, Tensor)
    if not single and not isinstance(values, (tuple, list)):
        raise TypeError(
            f"The {what} must be either a Tensor or a tuple of Tensors but got {type(values).__name__}"
        )
    values = (values,) if single else tuple(values)
    for i, value in enumerate(values):
        if not isinstance(value, Tensor):
            raise TypeError(
                f"The {what} must be either a Tensor or a tuple of Tensors but the value at index {i} has "
                f"type {type(value)}."
            )
    return values, single


_OUTPUTS = "outputs of the user-provided function"


def _in_transform():
    return _C._captures_open() or _C._forward_depth()


def _prepared(inputs, create_graph):
    """Inputs that gradients can be taken of, without touching the caller's. Under vmap each example has its
    own, so that gradients of examples stay apart."""
    if not create_graph and _in_transform():
        raise RuntimeError(
            "opweave.autograd.functional inside of a function that opweave.func differentiates (grad(), "
            "vjp(), jvp() and the like) has no derivative without create_graph=True: pass that, or use "
            "opweave.func's jacrev(), hessian() and the like"
        )
    depth = _C._vmap_depth()
    inputs = [_C._to_physical(i, depth) for i in inputs]
    if create_graph:
        return tuple(_C._from_physical(_C._transform_input(i), depth) for i in inputs)
    return tuple(_C._from_physical(i, depth).detach().requires_grad_() for i in inputs)


def _finish(values, single, create_graph):
    if not create_graph:
        values = tuple(v.detach() if isinstance(v, Tensor) else v for v in values)
    return values[0] if single else values


def _grads(outputs, inputs, seeds, create_graph, strict=False):
    pairs = [(o, s) for o, s in zip(outputs, seeds) if o.requires_grad]
    grads = (None,) * len(inputs)
    if pairs:
        grads = autograd.grad(
            [o for o, _ in pairs],
            inputs,
            [s for _, s in pairs],
            allow_unused=True,
            create_graph=create_graph,
            retain_graph=True,
        )
    if strict and any(g is None for g in grads):
        raise RuntimeError(
            "The output of the user-provided function is independent of an input. This is "
            "not allowed in strict mode."
        )
    return tuple(_C.zeros_like(i) if g is None else g for g, i in zip(grads, inputs))


def _seeds(v, values, what):
    if v is None:
        if len(values) != 1 or values[0].numel() != 1:
            raise RuntimeError(
                f"The vector v can only be None if the user-provided function {what} a single Tensor "
                "with a single element."
            )
        return (_C.ones_like(values[0]),)
    v, _ = _tensors_of(v, "v")
    if len(v) != len(values) or any(a.size() != b.size() for a, b in zip(v, values)):
        raise RuntimeError("v should have the same structure and sizes as what it multiplies")
    return v


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """(func(inputs), v^T J)."""
    with enable_grad():
        inputs, single = _tensors_of(inputs, "inputs given to vjp")
        inputs = _prepared(inputs, create_graph)
        outputs, single_output = _tensors_of(func(*inputs), "outputs of the user-provided function")
        grads = _grads(outputs, inputs, _seeds(v, outputs, "returns"), create_graph, strict)
    return _finish(outputs, single_output, create_graph), _finish(grads, single, create_graph)


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """(func(inputs), J v), by differentiating v -> v^T J once more."""
    with enable_grad():
        inputs, _ = _tensors_of(inputs, "inputs given to jvp")
        inputs = _prepared(inputs, create_graph)
        v = _seeds(v, inputs, "has")
        outputs, single_output = _tensors_of(func(*inputs), "outputs of the user-provided function")
        dummies = tuple(_C.zeros_like(o).requires_grad_() for o in outputs)
        grads = _grads(outputs, inputs, dummies, True, strict)
        products = _grads(grads, dummies, v, create_graph, strict)
    return _finish(outputs, single_output, create_graph), _finish(
        products, single_output, create_graph
    )


def _check_strategy(name, strategy, strict, vectorize):
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            f'Expected {name} to be either "forward-mode" or "reverse-mode", but got {strategy!r}'
        )
    if strategy == "reverse-mode":
        return
    if strict:
        raise RuntimeError(f'{name}="forward-mode" cannot be combined with strict=True')
    if not vectorize:
        raise NotImplementedError(f'{name}="forward-mode" is only implemented for vectorize=True')


def jacobian(
    func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"
):
    """d outputs / d inputs: for each output and input a tensor of shape output.shape + input.shape.

    Args:
        vectorize: for PyTorch's programs, which save time by it.
        strategy: "reverse-mode", or with `vectorize` "forward-mode": by tangents, for each element of an
            input.

    Raises:
        AssertionError: another strategy.
        NotImplementedError: "forward-mode" without `vectorize`.
        RuntimeError: "forward-mode" with `strict`.
    """
    _check_strategy("strategy", strategy, strict, vectorize)
    with enable_grad():
        inputs, single = _tensors_of(inputs, "inputs given to jacobian")
        # Tangents are connected with what the inputs were computed from, whoever asks.
        create_graph = create_graph or (
            strategy == "forward-mode" and (_in_transform() or any(t.requires_grad for t in inputs))
        )
        inputs = _prepared(inputs, create_graph)
        if strategy == "forward-mode":
            result, single_output = _pushed_jacobian(func, inputs)
        else:
            outputs, single_output = _tensors_of(func(*inputs), _OUTPUTS)
            result = tuple(_output_jacobian(o, inputs, create_graph, strict) for o in outputs)
    result = tuple(_finish(row, single, create_graph) for row in result)
    return result[0] if single_output else result


def _pushed_jacobian(func, inputs):
    """The Jacobian of each output, and whether there is one alone: columns by forward mode."""
    outputs, single = _tensors_of(func(*inputs), _OUTPUTS)
    columns = [[[] for _ in inputs] for _ in outputs]
    for k, i in enumerate(inputs):
        for direction in _C.eye(i.numel(), dtype=i.dtype, device=i.device):
            tangents = _pushed(func, inputs, k, direction.view(i.shape), outputs)
            for of_output, tangent in zip(columns, tangents, strict=True):
                of_output[k].append(tangent)
    rows = tuple(
        tuple(
            (_C.stack(c, -1) if c else o.new_zeros(0)).view((*o.size(), *i.size()))
            for c, i in zip(of_output, inputs, strict=True)
        )
        for o, of_output in zip(outputs, columns, strict=True)
    )
    return rows, single


def _pushed(func, inputs, at, direction, outputs):
    """The outputs' tangents when one input moves in a direction."""
    with forward_ad.dual_level():
        moved = [forward_ad.make_dual(x, direction) if k == at else x for k, x in enumerate(inputs)]
        found, _ = _tensors_of(func(*moved), _OUTPUTS)
        tangents = [forward_ad.unpack_dual(f).tangent for f in found]
    return [
        o.new_zeros(o.shape) if t is None else t for o, t in zip(outputs, tangents, strict=True)
    ]


def _output_jacobian(output, inputs, create_graph, strict):
    rows = [[] for _ in inputs]
    flat = output.reshape(-1)
    for i in range(flat.numel()):
        grads = _grads((flat[i],), inputs, (_C.ones((), dtype=output.dtype),), create_graph, strict)
        for row, grad in zip(rows, grads):
            row.append(grad)
    return tuple(
        _C.stack(row).view((*output.size(), *i.size()))
        if row
        else i.new_zeros((*output.size(), *i.size()))
        for row, i in zip(rows, inputs)
    )


def hessian(
    func,
    inputs,
    create_graph=False,
    strict=False,
    vectorize=False,
    outer_jacobian_strategy="reverse-mode",
):
    """Second derivatives of a function that returns one element.

    Args:
        vectorize: for PyTorch's programs, which save time by it.
        outer_jacobian_strategy: as `strategy` of jacobian().

    Raises:
        AssertionError, NotImplementedError, RuntimeError: as of jacobian().
    """
    _check_strategy("outer_jacobian_strategy", outer_jacobian_strategy, strict, vectorize)
    inputs, single = _tensors_of(inputs, "inputs given to hessian")

    def gradient(*arguments):
        output = _only_element("hessian", func(*arguments))
        return _grads(
            (output.reshape(()),), arguments, (_C.ones((), dtype=output.dtype),), True, strict
        )

    result = jacobian(gradient, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return result[0][0] if single else result


def _only_element(name, output):
    if not isinstance(output, Tensor):
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if output.numel() != 1:
        raise RuntimeError(
            f"The Tensor returned by the function given to {name} should contain a single element"
        )
    return output


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """(func(inputs), v^T H) of a function that returns one element."""
    return _hessian_product("vhp", func, inputs, v, create_graph, strict)


def _hessian_product(name, func, inputs, v, create_graph, strict):
    with enable_grad():
        inputs, single = _tensors_of(inputs, f"inputs given to {name}")
        inputs = _prepared(inputs, create_graph)
        v = _seeds(v, inputs, "has")
        output = _only_element(name, func(*inputs))
        grads = _grads((output,), inputs, (_C.ones_like(output),), True, strict)
        products = _grads(grads, inputs, v, create_graph, strict)
    return _finish((output,), True, create_graph), _finish(products, single, create_graph)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """(func(inputs), H v); a Hessian is symmetric, so this is vhp."""
    return _hessian_product("hvp", func, inputs, v, create_graph, strict)
