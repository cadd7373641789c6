"""Adagrad."""

from opweave import _C
from opweave.optim import _recorded
from opweave.optim._elementwise import ElementwiseOptimizer
from opweave.optim._forms import check_form, step_lists
from opweave.optim._stateful import check_learning_rate
from opweave.optim.optimizer import check_at_least


class Adagrad(ElementwiseOptimizer):
    """Duchi, Hazan and Singer, "Adaptive Subgradient Methods for Online Learning and Stochastic Optimization"
    (JMLR 12, 2011). Every parameter has its state from the beginning on, as in PyTorch.
    """

    _operator = "_fused_adagrad_"
    _recorded = staticmethod(_recorded.adagrad)
    _states = {"state_sums": "sum"}

    def __init__(
        self,
        params,
        lr=1e-2,
        lr_decay=0,
        weight_decay=0,
        initial_accumulator_value=0,
        eps=1e-10,
        foreach=None,
        *,
        maximize=False,
        differentiable=False,
        fused=None,
    ):
        check_learning_rate(lr)
        check_at_least("lr_decay value", lr_decay)
        check_at_least("weight_decay value", weight_decay)
        check_at_least("initial_accumulator_value value", initial_accumulator_value)
        check_at_least("epsilon value", eps)
        super().__init__(params, {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "fused": fused,
        })  # fmt: skip
        for group in self.param_groups:
            for param in group["params"]:
                self._state_of(group, param)

    def share_memory(self):
        """Moves the state into memory that other processes share."""
        for state in self.state.values():
            state["sum"].share_memory_()

    def _fresh(self, group, param):
        return {"sum": _C.full_like(param, group["initial_accumulator_value"])}

    def _numbers(self, group):
        return {
            "lr": float(group["lr"]), "lr_decay": group["lr_decay"],
            "weight_decay": group["weight_decay"], "eps": group["eps"],
        }  # fmt: skip


def adagrad(
    params,
    grads,
    state_sums,
    state_steps,
    fused=None,
    grad_scale=None,
    found_inf=None,
    has_sparse_grad=False,
    foreach=None,
    differentiable=False,
    has_complex=False,
    *,
    lr,
    weight_decay,
    lr_decay,
    eps,
    maximize,
):
    """One step of Adagrad on lists of tensors, in place."""
    check_form("adagrad", state_steps, differentiable, grad_scale, found_inf)
    step_lists(
        "_fused_adagrad_",
        params,
        grads,
        [state_sums],
        {"steps": state_steps},
        lr=float(lr),
        weight_decay=weight_decay,
        lr_decay=lr_decay,
        eps=eps,
        maximize=maximize,
    )
