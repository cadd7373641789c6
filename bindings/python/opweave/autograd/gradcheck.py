"""Numerical checks of gradients, after torch.autograd.gradcheck.

The numerical Jacobian comes from central differences, (f(x + h) - f(x - h)) / 2h, in double precision; the
analytical one from one backward pass per output element.
"""

import sys
import types

from opweave import _C
from opweave._C import Tensor
from opweave._grad_mode import enable_grad, no_grad
from opweave.autograd import _gradchecks, _passes


class GradcheckError(RuntimeError):
    """Analytical and numerical gradients disagree."""


def _tensors(values):
    return (values,) if isinstance(values, Tensor) else tuple(values)


def _places(values):
    return [i for i, v in enumerate(values) if isinstance(v, Tensor) and v.requires_grad]


def _differentiable(values):
    return [values[i] for i in _places(values)]


def _outputs(func, inputs):
    result = func(*inputs)
    return [o for o in _tensors(result) if isinstance(o, Tensor) and o.dtype._is_differentiable]


def _numerical_jacobian(func, inputs, target, eps):
    """[output][input element, output element], by changing one element of `target` at a time."""
    with no_grad():
        sizes = [o.numel() for o in _outputs(func, inputs)]
        rows = [[] for _ in sizes]
        data = target.data
        for i in range(target.numel()):
            position = _unravel(i, target.shape)
            original = data[position].item()
            data[position] = original + eps
            high = [o.clone() for o in _outputs(func, inputs)]
            data[position] = original - eps
            low = [o.clone() for o in _outputs(func, inputs)]
            data[position] = original
            for row, above, below in zip(rows, high, low):
                row.append(((above - below) / (2 * eps)).reshape(-1))
        return [
            _C.stack(r) if r else _C.zeros(0, n, dtype=target.dtype) for r, n in zip(rows, sizes)
        ]


def _unravel(i, shape):
    position = []
    for size in reversed(shape):
        position.append(i % size)
        i //= size
    return tuple(reversed(position))


def _analytical_jacobian(output, targets, create_graph=False):
    """For each target, [target element, output element]."""
    columns = [[] for _ in targets]
    for i in range(output.numel()):
        seed = _C.zeros(output.numel(), dtype=output.dtype)
        seed[i] = 1
        grads = _passes.grad(
            output,
            targets,
            seed.view(output.shape),
            retain_graph=True,
            allow_unused=True,
            create_graph=create_graph,
        )
        for column, grad, target in zip(columns, grads, targets):
            column.append(_C.zeros_like(target).reshape(-1) if grad is None else grad.reshape(-1))
    return [
        _C.stack(c, 1) if c else _C.zeros(t.numel(), 0, dtype=t.dtype)
        for c, t in zip(columns, targets)
    ]


def _compare(numerical, analytical, atol, rtol, where, mode=""):
    if _C.allclose(analytical, numerical, rtol=rtol, atol=atol):
        return
    raise GradcheckError(
        f"Jacobian {mode}mismatch for {where},\nnumerical:{numerical}\nanalytical:{analytical}\n"
    )


def _check_targets(inputs, raise_exception):
    targets = _differentiable(inputs)
    if not targets:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of the them have "
            "requires_grad=True."
        )
    for target in targets:
        if any(s == 0 and n > 1 for s, n in zip(target.stride(), target.shape)):
            raise RuntimeError(
                "gradcheck: an input is expanded (several elements share memory), so that changing one "
                "element would change others; pass a contiguous copy"
            )
    return targets


def _check_any_gradient(outputs, numerical, atol):
    if any(output.requires_grad for output in outputs):
        return
    for jacobian in (jacobian for of_target in numerical for jacobian in of_target):
        if not _C.allclose(jacobian, _C.zeros_like(jacobian), atol=atol):
            raise GradcheckError("Numerical gradient for function expected to be zero")


def gradcheck(
    func,
    inputs,
    *,
    eps=1e-6,
    atol=1e-5,
    rtol=1e-3,
    raise_exception=True,
    nondet_tol=0.0,
    check_undefined_grad=True,
    check_grad_dtypes=False,
    check_batched_grad=False,
    check_batched_forward_grad=False,
    check_forward_ad=False,
    check_backward_ad=True,
    fast_mode=False,
    masked=None,
):
    """Compares the gradients of `func` at `inputs` with central differences.

    Inputs that require grad should be float64. Outputs without a gradient are left out, but if none has one
    the function must not change. Returns True, or raises GradcheckError (returns False
    without raise_exception).

    Args:
        nondet_tol: by how much two backward passes may differ.
        check_batched_grad: whether the backward pass has to run within vmap.
        check_forward_ad: whether derivatives in forward mode are compared as well.
        check_batched_forward_grad: whether those have to run within vmap.
        check_backward_ad: whether gradients are compared at all.
        check_undefined_grad: each output's gradient is always computed without one of the others.
        check_grad_dtypes: gradients always have their tensor's dtype.
        fast_mode, masked: whole Jacobians are compared, whatever is asked for.

    Raises:
        AssertionError: neither mode is asked for, or batches of the one that is not.
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError(
            "Expected at least one of check_forward_ad or check_backward_ad to be True"
        )
    if check_batched_grad and not check_backward_ad:
        raise AssertionError(
            "Setting check_batched_grad=True requires check_backward_ad to be True"
        )
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError(
            "Setting check_batched_forward_grad=True requires check_forward_ad to be True"
        )
    try:
        inputs = _tensors(inputs)
        targets = _check_targets(inputs, raise_exception)
        numerical = [_numerical_jacobian(func, inputs, t, eps) for t in targets]
        if check_backward_ad:
            tolerances = atol, rtol, nondet_tol
            _check_backward(func, inputs, targets, numerical, tolerances, check_batched_grad)
        if check_forward_ad:
            _check_forward(func, inputs, numerical, atol, rtol, check_batched_forward_grad)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _check_backward(func, inputs, targets, numerical, tolerances, batched):
    atol, rtol, nondet_tol = tolerances
    outputs = _outputs(func, inputs)
    _check_any_gradient(outputs, numerical, atol)
    for o, output in enumerate(outputs):
        if not output.requires_grad:
            continue  # the function says that it has no gradient
        analytical = _analytical_jacobian(output, targets)
        for i in range(len(targets)):
            where = f"output {o} with respect to input {i}"
            _compare(numerical[i][o], analytical[i], atol, rtol, where)
        again = _analytical_jacobian(output, targets)
        _gradchecks.check_reentrant(analytical, again, nondet_tol, GradcheckError)
        if batched:
            _gradchecks.check_batched(output, targets, GradcheckError)


def _check_forward(func, inputs, numerical, atol, rtol, batched):
    def outputs_of(values):
        return _outputs(func, values)

    for i, place in enumerate(_places(inputs)):
        for o, found in enumerate(_gradchecks.forward_jacobian(outputs_of, inputs, place)):
            where = f"output {o} with respect to input {i}"
            _compare(numerical[i][o], found, atol, rtol, where, "computed with forward mode ")
        if batched:
            _gradchecks.check_batched_forward(outputs_of, inputs, place, GradcheckError)


def gradgradcheck(
    func,
    inputs,
    grad_outputs=None,
    *,
    eps=1e-6,
    atol=1e-5,
    rtol=1e-3,
    gen_non_contig_grad_outputs=False,
    raise_exception=True,
    nondet_tol=0.0,
    check_undefined_grad=True,
    check_grad_dtypes=False,
    check_batched_grad=False,
    check_fwd_over_rev=False,
    check_rev_over_rev=True,
    fast_mode=False,
    masked=False,
):
    """gradcheck of the gradients of `func`, as functions of its inputs and of the output gradients."""
    inputs = _tensors(inputs)
    if grad_outputs is None:
        outputs = _outputs(func, inputs)
        grad_outputs = [_C.randn(o.shape, dtype=o.dtype) for o in outputs]
        if gen_non_contig_grad_outputs:
            grad_outputs = [_C.stack([g, g], -1)[..., 0] for g in grad_outputs]
        grad_outputs = [g.requires_grad_() for g in grad_outputs]
    grad_outputs = _tensors(grad_outputs)
    count = len(grad_outputs)
    places = _places(inputs)

    def gradients(*arguments):
        arguments, seeds = arguments[:-count], arguments[-count:]
        # Those of forward mode do not say that they require gradients.
        targets = [arguments[i].requires_grad_() for i in places]
        with enable_grad():  # the numerical side is computed without recording
            outputs = _outputs(func, arguments)
            pairs = [(o, s) for o, s in zip(outputs, seeds) if o.requires_grad]
            grads = _passes.grad(
                [o for o, _ in pairs],
                targets,
                [s for _, s in pairs],
                create_graph=True,
                allow_unused=True,
            )
        return tuple(g for g in grads if g is not None)

    return gradcheck(
        gradients,
        (*inputs, *grad_outputs),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
    )


class _Module(types.ModuleType):
    """`import opweave.autograd.gradcheck` puts the module where the function of its name was: it can be
    called."""

    def __call__(self, *args, **options):
        return gradcheck(*args, **options)


sys.modules[__name__].__class__ = _Module
