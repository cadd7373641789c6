"""What gradcheck() looks at beside the gradients themselves: forward mode, batches, whether a backward pass
gives the same twice."""

from opweave import _C
from opweave.autograd import _passes, forward_ad
from opweave.func._forward import jvp
from opweave.func._vmap import vmap


def forward_jacobian(outputs_of, inputs, place):
    """For each output [element of an input, element of the output], by one forward pass for each element.

    Args:
        outputs_of: the outputs of the function at inputs.
        place: of the input among them.
    """
    target = inputs[place].detach()
    rows = []
    for i in range(target.numel()):
        rows.append([t.reshape(-1) for t in _tangents(outputs_of, inputs, place, _one(target, i))])
    return [_C.stack(row) for row in zip(*rows, strict=True)]


def _one(like, i):
    flat = _C.zeros(like.numel(), dtype=like.dtype, device=like.device)
    flat[i] = 1
    return flat.view(like.shape)


def _tangents(outputs_of, inputs, place, tangent):
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(inputs[place].detach(), tangent)
        detached = [x.detach() if isinstance(x, _C.Tensor) else x for x in inputs]
        outputs = outputs_of([*detached[:place], dual, *detached[place + 1 :]])
        parts = [forward_ad.unpack_dual(o) for o in outputs]
        return [p.primal * 0 if p.tangent is None else p.tangent for p in parts]


def check_reentrant(first, again, nondet_tol, error):
    """Compares the gradients of two backward passes."""
    for a, b in zip(first, again, strict=True):
        if a.numel() and (a - b).abs().max().item() > nondet_tol:
            raise error(
                "Backward is not reentrant, i.e., running backward with same input and grad_output multiple "
                "times gives different values, although analytical gradient matches numerical gradient."
                f"The tolerance for nondeterminism was {nondet_tol}."
            )


def check_batched(output, targets, error):
    """Compares gradients by vmap of several seeds with those of one after another."""
    seeds = _C.randn(2, *output.shape, dtype=output.dtype, device=output.device)
    options = {"retain_graph": True, "allow_unused": True}
    one_by_one = [_passes.grad(output, targets, seed, **options) for seed in seeds]
    try:
        batched = _passes.grad(output, targets, seeds, is_grads_batched=True, **options)
    except RuntimeError as reason:
        raise error(
            f"While computing batched gradients, got: {reason}\n\ngradcheck or gradgradcheck failed while "
            "testing batched gradient computation."
        ) from reason
    for i, found in enumerate(batched):
        want = [grads[i] for grads in one_by_one]
        if found is not None and not _C.allclose(found, _C.stack(want)):
            raise error(
                "gradcheck or gradgradcheck failed while testing batched gradient computation: for input "
                f"{i}\ngot:\n{found}\n\nExpected:\n{_C.stack(want)}"
            )


def check_batched_forward(outputs_of, inputs, place, error):
    """Compares derivatives in forward mode by vmap of several tangents with those of one after another."""
    shape = inputs[place].shape
    tangents = _C.randn(2, *shape, dtype=inputs[place].dtype, device=inputs[place].device)
    want = [_tangents(outputs_of, inputs, place, t) for t in tangents]

    def derivative(tangent):
        def of_one(x):
            return tuple(outputs_of([*inputs[:place], x, *inputs[place + 1 :]]))

        return jvp(of_one, (inputs[place].detach(),), (tangent,))[1]

    try:
        found = vmap(derivative)(tangents)
    except RuntimeError as reason:
        raise error(f"While computing batched gradients, got: {reason}") from reason
    for o, (batch, *rows) in enumerate(zip(found, *want, strict=True)):
        if not _C.allclose(batch, _C.stack(rows)):
            raise error(
                "gradcheck failed while testing batched forward-mode gradient computation: for output "
                f"{o}\ngot:\n{batch}\n\nExpected:\n{_C.stack(rows)}"
            )
