"""Adadelta."""

from opweave.optim import _recorded
from opweave.optim._elementwise import ElementwiseOptimizer
from opweave.optim._forms import check_form, step_lists
from opweave.optim._stateful import check_learning_rate, zeros
from opweave.optim.optimizer import check_at_least


class Adadelta(ElementwiseOptimizer):
    """Zeiler, "ADADELTA: An Adaptive Learning Rate Method" (2012)."""

    _operator = "_fused_adadelta_"
    _recorded = staticmethod(_recorded.adadelta)
    _states = {"square_avgs": "square_avg", "acc_deltas": "acc_delta"}

    def __init__(
        self,
        params,
        lr=1.0,
        rho=0.9,
        eps=1e-6,
        weight_decay=0,
        foreach=None,
        *,
        capturable=False,
        maximize=False,
        differentiable=False,
    ):
        check_learning_rate(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check_at_least("epsilon value", eps)
        check_at_least("weight_decay value", weight_decay)
        super().__init__(params, {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "capturable": capturable, "foreach": foreach, "differentiable": differentiable,
        })  # fmt: skip

    def _fresh(self, group, param):
        return {"square_avg": zeros(param), "acc_delta": zeros(param)}

    def _numbers(self, group):
        return {
            "lr": float(group["lr"]), "rho": group["rho"], "eps": group["eps"],
            "weight_decay": group["weight_decay"],
        }  # fmt: skip


def adadelta(
    params,
    grads,
    square_avgs,
    acc_deltas,
    state_steps,
    capturable=False,
    foreach=None,
    differentiable=False,
    has_complex=False,
    *,
    lr,
    rho,
    eps,
    weight_decay,
    maximize,
):
    """One step of Adadelta on lists of tensors, in place."""
    check_form("adadelta", state_steps, differentiable)
    step_lists(
        "_fused_adadelta_",
        params,
        grads,
        [square_avgs, acc_deltas],
        {"steps": state_steps},
        lr=float(lr),
        rho=rho,
        eps=eps,
        weight_decay=weight_decay,
        maximize=maximize,
    )
