"""The functions beside the classes: a step on lists that the caller keeps, by the classes' operators."""

from opweave import _C
from opweave._C import Tensor
from opweave._grad_mode import no_grad
from opweave.optim._fused import call_fused


def check_form(name, state_steps=(), differentiable=False, grad_scale=None, found_inf=None):
    """What a function of PyTorch takes and this one does not.

    Raises:
        RuntimeError: numbers of steps that are no tensors.
        NotImplementedError: a step that autograd would record, or that unscales gradients.
    """
    if not all(isinstance(step, Tensor) for step in state_steps):
        raise RuntimeError(
            f"{name}(): `state_steps` argument must contain a list of singleton tensors, as it holds "
            f"{next(type(s).__name__ for s in state_steps if not isinstance(s, Tensor))}"
        )
    if differentiable:
        raise NotImplementedError(
            f"{name}(): differentiable=True: the function is one operator, which autograd does not record; "
            "steps of the class are recorded"
        )
    for argument, value in {"grad_scale": grad_scale, "found_inf": found_inf}.items():
        if value is not None:
            raise NotImplementedError(
                f"{name}(): {argument}: steps do not unscale gradients; amp.GradScaler.unscale_() does"
            )


def step_lists(operator, params, grads, states, counts, **numbers):
    """One step of a fused operator, in place; of each device and of counts of each dtype together.

    Args:
        operator: its name.
        states: lists of tensors, or empty ones, in its order.
        counts: lists of tensors of one element, by its names for them.
    """
    together = {}
    for i, param in enumerate(params):
        key = (param.device, *(kept[i].dtype for kept in counts.values()))
        together.setdefault(key, []).append(i)

    def chosen(tensors, places):
        return [tensors[i] for i in places] if tensors else []

    with no_grad():
        for places in together.values():
            call_fused(
                getattr(_C, operator),
                chosen(params, places),
                chosen(grads, places),
                *(chosen(tensors, places) for tensors in states),
                **{name: chosen(kept, places) for name, kept in counts.items()},
                **numbers,
            )
