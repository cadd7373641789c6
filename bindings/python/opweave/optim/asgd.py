"""Averaged stochastic gradient descent."""

import opweave
from opweave.optim._elementwise import ElementwiseOptimizer, check_learning_rate, zeros
from opweave.optim.optimizer import check_at_least


class ASGD(ElementwiseOptimizer):
    """Polyak and Juditsky, "Acceleration of Stochastic Approximation by Averaging" (1992). The averages are
    `state[p]["ax"]`.
    """

    _operator = "_fused_asgd_"
    _states = {"axs": "ax"}
    _counts = {"mus": "mu", "etas": "eta"}

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
        eta = opweave.tensor(float(group["lr"]))
        return {"eta": eta, "mu": opweave.ones(()), "ax": zeros(param)}

    def _numbers(self, group):
        return {
            "lr": float(group["lr"]), "lambd": group["lambd"], "t0": group["t0"],
            "alpha": group["alpha"], "weight_decay": group["weight_decay"],
        }  # fmt: skip
