"""Adamax."""

from opweave.optim import _recorded
from opweave.optim._elementwise import ElementwiseOptimizer
from opweave.optim._forms import check_form, step_lists
from opweave.optim._stateful import check_betas, check_learning_rate, zeros
from opweave.optim.optimizer import check_at_least


class Adamax(ElementwiseOptimizer):
    """Adam by the largest gradient: Kingma and Ba, "Adam: A Method for Stochastic Optimization" (ICLR 2015),
    section 7.1.
    """

    _operator = "_fused_adamax_"
    _recorded = staticmethod(_recorded.adamax)
    _states = {"exp_avgs": "exp_avg", "exp_infs": "exp_inf"}

    def __init__(
        self,
        params,
        lr=2e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        foreach=None,
        *,
        maximize=False,
        differentiable=False,
        capturable=False,
    ):
        check_learning_rate(lr)
        check_at_least("epsilon value", eps)
        check_betas(betas)
        check_at_least("weight_decay value", weight_decay)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        })  # fmt: skip

    def _fresh(self, group, param):
        return {"exp_avg": zeros(param), "exp_inf": zeros(param)}

    def _numbers(self, group):
        beta1, beta2 = group["betas"][0], group["betas"][1]
        return {
            "lr": float(group["lr"]), "beta1": float(beta1), "beta2": float(beta2),
            "weight_decay": group["weight_decay"], "eps": group["eps"],
        }  # fmt: skip


def adamax(
    params,
    grads,
    exp_avgs,
    exp_infs,
    state_steps,
    foreach=None,
    maximize=False,
    differentiable=False,
    capturable=False,
    has_complex=False,
    *,
    eps,
    beta1,
    beta2,
    lr,
    weight_decay,
):
    """One step of Adamax on lists of tensors, in place."""
    check_form("adamax", state_steps, differentiable)
    step_lists(
        "_fused_adamax_",
        params,
        grads,
        [exp_avgs, exp_infs],
        {"steps": state_steps},
        eps=eps,
        beta1=float(beta1),
        beta2=float(beta2),
        lr=float(lr),
        weight_decay=weight_decay,
        maximize=maximize,
    )
