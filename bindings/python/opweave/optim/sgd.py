"""Stochastic gradient descent."""

import opweave
from opweave.optim._fused import call_fused
from opweave.optim.optimizer import Optimizer, check_at_least, required


class SGD(Optimizer):
    """Stochastic gradient descent, with momentum as in Sutskever et al., "On the importance of
    initialization and momentum in deep learning" (ICML 2013), in PyTorch's arrangement:

        g = grad + weight_decay * p;  b = momentum * b + (1 - dampening) * g;  p = p - lr * b
    """

    def __init__(
        self,
        params,
        lr=1e-3,
        momentum=0,
        dampening=0,
        weight_decay=0,
        nesterov=False,
        *,
        maximize=False,
        foreach=None,
        differentiable=False,
        fused=None,
    ):
        if lr is not required:
            check_at_least("learning rate", lr)
        check_at_least("momentum value", momentum)
        check_at_least("weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
            "nesterov": nesterov, "maximize": maximize, "foreach": foreach,
            "differentiable": differentiable, "fused": fused,
        })  # fmt: skip

    def _update(self, group, params, grads):
        buffers = []
        first = []
        if group["momentum"] != 0:
            for param in params:
                state = self.state[param]
                fresh = state.get("momentum_buffer") is None
                if fresh:
                    state["momentum_buffer"] = opweave.zeros_like(param)
                buffers.append(state["momentum_buffer"])
                first.append(fresh)
        for is_first in sorted(set(first)) or [False]:
            chosen = [i for i in range(len(params)) if not first or first[i] == is_first]
            call_fused(
                opweave._C._fused_sgd_,
                [params[i] for i in chosen],
                [grads[i] for i in chosen],
                [buffers[i] for i in chosen] if buffers else [],
                weight_decay=group["weight_decay"],
                momentum=group["momentum"],
                lr=float(group["lr"]),
                dampening=group["dampening"],
                nesterov=group["nesterov"],
                maximize=group["maximize"],
                is_first_step=is_first,
            )
