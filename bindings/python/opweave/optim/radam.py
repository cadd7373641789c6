"""RAdam."""

from opweave.optim import _recorded
from opweave.optim._elementwise import ElementwiseOptimizer
from opweave.optim._forms import check_form, step_lists
from opweave.optim._stateful import check_betas, check_learning_rate, zeros
from opweave.optim.optimizer import check_at_least


class RAdam(ElementwiseOptimizer):
    """Adam whose first steps are rectified: Liu et al., "On the Variance of the Adaptive Learning Rate and
    Beyond" (ICLR 2020).
    """

    _operator = "_fused_radam_"
    _recorded = staticmethod(_recorded.radam)
    _states = {"exp_avgs": "exp_avg", "exp_avg_sqs": "exp_avg_sq"}

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
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
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
            "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay, "differentiable": differentiable,
        })  # fmt: skip

    def _fresh(self, group, param):
        return {"exp_avg": zeros(param), "exp_avg_sq": zeros(param)}

    def _numbers(self, group):
        beta1, beta2 = group["betas"][0], group["betas"][1]
        return {
            "lr": float(group["lr"]), "beta1": float(beta1), "beta2": float(beta2),
            "weight_decay": group["weight_decay"], "eps": group["eps"],
            "decoupled": group["decoupled_weight_decay"],
        }  # fmt: skip


def radam(
    params,
    grads,
    exp_avgs,
    exp_avg_sqs,
    state_steps,
    decoupled_weight_decay=False,
    foreach=None,
    differentiable=False,
    capturable=False,
    has_complex=False,
    maximize=False,
    *,
    beta1,
    beta2,
    lr,
    weight_decay,
    eps,
):
    """One step of RAdam on lists of tensors, in place."""
    check_form("radam", state_steps, differentiable)
    step_lists(
        "_fused_radam_",
        params,
        grads,
        [exp_avgs, exp_avg_sqs],
        {"steps": state_steps},
        beta1=float(beta1),
        beta2=float(beta2),
        lr=float(lr),
        weight_decay=weight_decay,
        eps=eps,
        maximize=maximize,
        decoupled=decoupled_weight_decay,
    )
