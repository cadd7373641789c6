"""RMSprop."""

from opweave.optim import _recorded
from opweave.optim._elementwise import ElementwiseOptimizer
from opweave.optim._forms import check_form, step_lists
from opweave.optim._stateful import check_learning_rate, zeros
from opweave.optim.optimizer import check_at_least


class RMSprop(ElementwiseOptimizer):
    """Tieleman and Hinton, lecture 6.5 of "Neural Networks for Machine Learning" (2012); centered after
    Graves, "Generating Sequences With Recurrent Neural Networks" (2013).
    """

    _operator = "_fused_rmsprop_"
    _recorded = staticmethod(_recorded.rmsprop)
    _states = {
        "square_avgs": "square_avg", "grad_avgs": "grad_avg", "momentum_buffers": "momentum_buffer",
    }  # fmt: skip

    _of_older_states = {**ElementwiseOptimizer._of_older_states, "momentum": 0}

    def __init__(
        self,
        params,
        lr=1e-2,
        alpha=0.99,
        eps=1e-8,
        weight_decay=0,
        momentum=0,
        centered=False,
        capturable=False,
        foreach=None,
        maximize=False,
        differentiable=False,
    ):
        check_learning_rate(lr)
        check_at_least("epsilon value", eps)
        check_at_least("momentum value", momentum)
        check_at_least("weight_decay value", weight_decay)
        check_at_least("alpha value", alpha)
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable,
        })  # fmt: skip

    def _fresh(self, group, param):
        names = [name for name in self._states.values() if self._needs(group, name)]
        return {name: zeros(param) for name in names}

    def _needs(self, group, state):
        return {"grad_avg": group["centered"], "momentum_buffer": group["momentum"] > 0}.get(
            state, True
        )

    def _numbers(self, group):
        return {
            "lr": float(group["lr"]), "alpha": group["alpha"], "eps": group["eps"],
            "weight_decay": group["weight_decay"], "momentum": group["momentum"],
            "centered": group["centered"],
        }  # fmt: skip


def rmsprop(
    params,
    grads,
    square_avgs,
    grad_avgs,
    momentum_buffer_list,
    state_steps,
    foreach=None,
    maximize=False,
    differentiable=False,
    capturable=False,
    has_complex=False,
    *,
    lr,
    alpha,
    eps,
    weight_decay,
    momentum,
    centered,
):
    """One step of RMSprop on lists of tensors, in place."""
    check_form("rmsprop", state_steps, differentiable)
    step_lists(
        "_fused_rmsprop_",
        params,
        grads,
        [square_avgs, grad_avgs if centered else [], momentum_buffer_list if momentum > 0 else []],
        {"steps": state_steps},
        lr=float(lr),
        alpha=alpha,
        eps=eps,
        weight_decay=weight_decay,
        momentum=momentum,
        centered=centered,
        maximize=maximize,
    )
