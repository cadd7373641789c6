"""Backward passes: gradients into leaves, and gradients as results."""

import functools
import warnings

from opweave import _C


def _as_tuple(tensors):
    if isinstance(tensors, _C.TensorBase):
        return (tensors,)
    # One GradientEdge is a tuple itself.
    tensors = (tensors,) if hasattr(tensors, "ownership_token") else tuple(tensors)
    if any(hasattr(t, "ownership_token") for t in tensors):
        from opweave.autograd.graph import tensor_at  # few programs have edges

        return tuple(map(tensor_at, tensors))
    return tensors


def _seeds(grads, count):
    if grads is None:
        return (None,) * count
    grads = _as_tuple(grads)
    if len(grads) != count:
        raise RuntimeError(f"got {count} tensors and {len(grads)} gradients")
    return grads


@functools.cache  # once in a process, as PyTorch
def _warn_of_cycle():
    warnings.warn(
        "Using backward() with create_graph=True will create a reference cycle between the "
        "parameter and its gradient which can cause a memory leak. We recommend using autograd.grad "
        "when creating the graph to avoid this. If you have to use this function, make sure to "
        "reset the .grad fields of your parameters to None after use to break the cycle and avoid "
        "the leak.",
        stacklevel=4,
    )


def backward(
    tensors,
    grad_tensors=None,
    retain_graph=None,
    create_graph=False,
    grad_variables=None,
    inputs=None,
):
    """Accumulates the gradients of tensors in the leaves of their graph.

    Args:
        tensors: what to differentiate.
        grad_tensors: the gradient of some loss with respect to each; None for scalars.
        retain_graph: keep what the graph saved. Defaults to create_graph.
        create_graph: record the backward pass, for higher derivatives.
        grad_variables: an old name of grad_tensors.
        inputs: the leaves to accumulate in; all others stay untouched.
    """
    if grad_variables is not None:
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
                "`backward()`. Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    if inputs is not None and not isinstance(inputs, _C.TensorBase) and len(inputs) == 0:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    if create_graph:
        _warn_of_cycle()
    tensors = _as_tuple(tensors)
    _C._backward(
        tensors,
        _seeds(grad_tensors, len(tensors)),
        create_graph if retain_graph is None else retain_graph,
        create_graph,
        () if inputs is None else _as_tuple(inputs),
    )


def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph=None,
    create_graph=False,
    only_inputs=True,
    allow_unused=None,
    is_grads_batched=False,
    materialize_grads=False,
):
    """The gradients of outputs with respect to inputs; nothing is accumulated.

    Args:
        outputs: what to differentiate.
        inputs: with respect to what.
        grad_outputs: the gradient of some loss with respect to each output; None for scalars.
        retain_graph: keep what the graph saved. Defaults to create_graph.
        create_graph: record the backward pass, for higher derivatives.
        only_inputs: has to be True.
        allow_unused: give None for inputs that the outputs do not depend on, not an error.
        is_grads_batched: dimension 0 of each grad_output counts examples, and so does that of the
            results.
        materialize_grads: give zeros instead of that None.
    """
    if not only_inputs:
        raise NotImplementedError("only_inputs=False does not exist")
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False."
        )
    outputs, inputs = _as_tuple(outputs), _as_tuple(inputs)
    if not inputs:
        raise RuntimeError("grad requires non-empty inputs.")
    seeds = _seeds(grad_outputs, len(outputs))
    retain_graph = create_graph if retain_graph is None else retain_graph
    allow_unused = bool(allow_unused) or materialize_grads

    def gradients(*seeds):
        materialize = materialize_grads and not is_grads_batched
        return _C._gradients(
            outputs, inputs, seeds, retain_graph, create_graph, allow_unused, materialize
        )

    if not is_grads_batched:
        return gradients(*seeds)
    grads = _of_examples(gradients, outputs, seeds)
    if not materialize_grads:
        return grads
    # Zeros are the same for all examples, as in PyTorch.
    return tuple(
        _C.zeros_like(i, requires_grad=create_graph) if g is None else g
        for i, g in zip(inputs, grads)
    )


def _of_examples(gradients, outputs, seeds):
    """`gradients` under vmap over the seeds; what is None stays None."""
    from opweave.func._vmap import vmap

    for i, (output, seed) in enumerate(zip(outputs, seeds)):
        if seed is None:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if seed.dim() == 0 or seed.shape[1:] != output.shape:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as "
                "the batch dimension. The sizes of the remaining dimensions are expected to match the "
                f"shape of corresponding output, but a mismatch was detected: grad_output[{i}] has a "
                f"shape of {tuple(seed.shape)} and output[{i}] has a shape of "
                f"{tuple(output.shape)}. If you only want some tensors in `grad_output` to be "
                "considered batched, consider using vmap."
            )
    there = []

    def of_one(*seeds):
        grads = gradients(*seeds)
        there[:] = [g is not None for g in grads]
        return tuple(g for g in grads if g is not None)

    found = iter(vmap(of_one)(*seeds))
    return tuple(next(found) if given else None for given in there)
