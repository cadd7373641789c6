"""Averaged stochastic gradient descent."""

from opweave.optim import _recorded
from opweave.optim._elementwise import ElementwiseOptimizer
from opweave.optim._forms import check_form, step_lists
from opweave.optim._stateful import check_learning_rate, count, zeros
from opweave.optim.optimizer import check_at_least


class ASGD(ElementwiseOptimizer):
    """Polyak and Juditsky, "Acceleration of Stochastic Approximation by Averaging" (1992). The averages are
    `state[p]["ax"]`.
    """

    _operator = "_fused_asgd_"
    _recorded = staticmethod(_recorded.asgd)
    _states = {"axs": "ax"}
    _counts = {"mus": "mu", "etas": "eta", "steps": "step"}

    def __init__(
        self,
        params,
        lr=1e-2,
        lambd=1e-4,
        alpha=0.75,
        t0=1e6,
        weight_decay=0,
        foreach=None,
        maximize=False,
        differentiable=False,
        capturable=False,
    ):
        check_learning_rate(lr)
        check_at_least("weight_decay value", weight_decay)
        check_at_least("lambd value", lambd)
        check_at_least("alpha value", alpha)
        super().__init__(params, {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay,
            "foreach": foreach, "maximize": maximize, "differentiable": differentiable,
            "capturable": capturable,
        })  # fmt: skip

    def _fresh(self, group, param):
        return {"eta": count(group["lr"]), "mu": count(1), "ax": zeros(param)}

    def _numbers(self, group):
        return {
            "lr": float(group["lr"]), "lambd": group["lambd"], "t0": group["t0"],
            "alpha": group["alpha"], "weight_decay": group["weight_decay"],
        }  # fmt: skip


def asgd(
    params,
    grads,
    axs,
    mus,
    etas,
    state_steps,
    foreach=None,
    maximize=False,
    differentiable=False,
    capturable=False,
    has_complex=False,
    *,
    lambd,
    lr,
    t0,
    alpha,
    weight_decay,
):
    """One step of ASGD on lists of tensors, in place."""
    check_form("asgd", state_steps, differentiable)
    step_lists(
        "_fused_asgd_",
        params,
        grads,
        [axs],
        {"mus": mus, "etas": etas, "steps": state_steps},
        lambd=lambd,
        lr=float(lr),
        t0=t0,
        alpha=alpha,
        weight_decay=weight_decay,
        maximize=maximize,
    )
