"""NAdam."""

from opweave.optim import _recorded
from opweave.optim._elementwise import ElementwiseOptimizer
from opweave.optim._forms import check_form, step_lists
from opweave.optim._stateful import check_betas, check_learning_rate, count, zeros
from opweave.optim.optimizer import check_at_least


class NAdam(ElementwiseOptimizer):
    """Adam with Nesterov's momentum: Dozat, "Incorporating Nesterov Momentum into Adam" (2016)."""

    _operator = "_fused_nadam_"
    _recorded = staticmethod(_recorded.nadam)
    _states = {"exp_avgs": "exp_avg", "exp_avg_sqs": "exp_avg_sq"}
    _counts = {"mu_products": "mu_product", "steps": "step"}

    def __init__(
        self,
        params,
        lr=2e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        momentum_decay=4e-3,
        decoupled_weight_decay=False,
        *,
        foreach=None,
        maximize=False,
        capturable=False,
        differentiable=False,
    ):
        check_learning_rate(lr)
        check_at_least("epsilon value", eps)
        check_betas(betas)
        check_at_least("weight_decay value", weight_decay)
        check_at_least("momentum_decay value", momentum_decay)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
            "momentum_decay": momentum_decay, "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "differentiable": differentiable,
        })  # fmt: skip

    def _fresh(self, group, param):
        return {"mu_product": count(1), "exp_avg": zeros(param), "exp_avg_sq": zeros(param)}

    def _numbers(self, group):
        beta1, beta2 = group["betas"][0], group["betas"][1]
        return {
            "lr": float(group["lr"]), "beta1": float(beta1), "beta2": float(beta2),
            "weight_decay": group["weight_decay"], "eps": group["eps"],
            "momentum_decay": group["momentum_decay"],
            "decoupled": group["decoupled_weight_decay"],
        }  # fmt: skip


def nadam(
    params,
    grads,
    exp_avgs,
    exp_avg_sqs,
    mu_products,
    state_steps,
    decoupled_weight_decay=False,
    foreach=None,
    capturable=False,
    differentiable=False,
    has_complex=False,
    maximize=False,
    *,
    beta1,
    beta2,
    lr,
    weight_decay,
    momentum_decay,
    eps,
):
    """One step of NAdam on lists of tensors, in place."""
    check_form("nadam", state_steps, differentiable)
    step_lists(
        "_fused_nadam_",
        params,
        grads,
        [exp_avgs, exp_avg_sqs],
        {"mu_products": mu_products, "steps": state_steps},
        beta1=float(beta1),
        beta2=float(beta2),
        lr=float(lr),
        weight_decay=weight_decay,
        momentum_decay=momentum_decay,
        eps=eps,
        maximize=maximize,
        decoupled=decoupled_weight_decay,
    )
