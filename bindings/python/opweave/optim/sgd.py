"""Stochastic gradient descent."""

from opweave._C import Tensor
from opweave.optim import _recorded
from opweave.optim._elementwise import ElementwiseOptimizer
from opweave.optim._forms import check_form, step_lists
from opweave.optim._stateful import zeros
from opweave.optim.optimizer import required


def _check_not_below_zero(name, value):
    """ValueError; NaN passes, as in PyTorch."""
    if value < 0.0:
        raise ValueError(f"Invalid {name}: {value}")


class SGD(ElementwiseOptimizer):
    """Stochastic gradient descent, with momentum as in Sutskever et al., "On the importance of
    initialization and momentum in deep learning" (ICML 2013), in PyTorch's arrangement:

        g = grad + weight_decay * p;  b = momentum * b + (1 - dampening) * g;  p = p - lr * b
    """

    _operator = "_fused_sgd_"
    _recorded = staticmethod(_recorded.sgd)
    _states = {"momentum_buffers": "momentum_buffer"}
    _counts = {}
    _begins_with = "momentum_buffer"

    _of_older_states = {**ElementwiseOptimizer._of_older_states, "fused": False}

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
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError(f"Tensor lr must be 1-element, got one of {lr.numel()} elements")
        if lr is not required:
            _check_not_below_zero("learning rate", lr)
        _check_not_below_zero("momentum value", momentum)
        _check_not_below_zero("weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
            "nesterov": nesterov, "maximize": maximize, "foreach": foreach,
            "differentiable": differentiable, "fused": fused,
        })  # fmt: skip

    def _fresh(self, group, param):
        return {"momentum_buffer": zeros(param)}

    def _needs(self, group, state):
        return group["momentum"] != 0

    def _numbers(self, group):
        dampening = group["dampening"]  # which every group has to have
        return {
            "lr": float(group["lr"]), "weight_decay": group["weight_decay"],
            "momentum": group["momentum"],
            "dampening": dampening if group["momentum"] != 0 else 0.0,  # of momentum
            "nesterov": group["nesterov"],
        }  # fmt: skip

    def _state_to_record(self, group, param):
        """Without a buffer where there is none yet: the first gradient begins it."""
        if group["momentum"] == 0:
            return {}
        state = self.state[param]
        if state.get("momentum_buffer") is None:
            state.pop("momentum_buffer", None)
        return state

    def _update_together(self, group, params, grads):
        """Of the parameters that have no buffer yet, and of the others: their first step is another one."""
        first = [group["momentum"] != 0 and self._is_new(param) for param in params]
        for is_first in sorted(set(first)):
            chosen = [i for i, one in enumerate(first) if one == is_first]
            super()._update_together(
                group,
                [params[i] for i in chosen],
                [grads[i] for i in chosen],
                is_first_step=is_first,
            )


def sgd(
    params,
    d_p_list,
    momentum_buffer_list,
    has_sparse_grad=False,
    foreach=None,
    fused=None,
    grad_scale=None,
    found_inf=None,
    *,
    weight_decay,
    momentum,
    lr,
    dampening,
    nesterov,
    maximize,
):
    """One step of SGD on lists of tensors, in place; buffers that are None are put into their list."""
    check_form("sgd", (), False, grad_scale, found_inf)
    first = [momentum != 0 and momentum_buffer_list[i] is None for i in range(len(params))]
    for is_first in sorted(set(first)):
        chosen = [i for i, one in enumerate(first) if one == is_first]
        if is_first:
            for i in chosen:
                momentum_buffer_list[i] = zeros(params[i])
        step_lists(
            "_fused_sgd_",
            [params[i] for i in chosen],
            [d_p_list[i] for i in chosen],
            [[momentum_buffer_list[i] for i in chosen] if momentum != 0 else []],
            {},
            weight_decay=weight_decay,
            momentum=momentum,
            lr=float(lr),
            dampening=dampening,
            nesterov=nesterov,
            maximize=maximize,
            is_first_step=is_first,
        )
