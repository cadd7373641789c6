"""Adam."""

from opweave._C import Tensor
from opweave.optim import _recorded
from opweave.optim._elementwise import ElementwiseOptimizer
from opweave.optim._forms import check_form, step_lists
from opweave.optim._stateful import check_betas, check_learning_rate, zeros
from opweave.optim.optimizer import check_at_least


def _check_tensors(lr, betas, foreach, capturable):
    """ValueError for numbers as tensors that PyTorch does not take."""
    if isinstance(lr, Tensor) and foreach and not capturable:
        raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
    if len({isinstance(beta, Tensor) for beta in betas}) > 1:
        raise ValueError(f"betas must be either both floats or both Tensors, got {betas}")
    for i, beta in enumerate(betas):
        if not isinstance(beta, Tensor):
            continue
        if foreach and not capturable:
            raise ValueError(
                f"betas[{i}] as a Tensor is not supported for capturable=False and foreach=True"
            )
        if beta.numel() != 1:
            raise ValueError(
                f"Tensor betas[{i}] must be 1-element, got one of {beta.numel()} elements"
            )


class Adam(ElementwiseOptimizer):
    """Kingma and Ba, "Adam: A Method for Stochastic Optimization" (ICLR 2015); amsgrad after Reddi, Kale
    and Kumar, "On the Convergence of Adam and Beyond" (ICLR 2018). All updates of a step are one fused
    operator call.
    """

    _operator = "_fused_adam_"
    _recorded = staticmethod(_recorded.adam)
    _states = {
        "exp_avgs": "exp_avg", "exp_avg_sqs": "exp_avg_sq", "max_exp_avg_sqs": "max_exp_avg_sq",
    }  # fmt: skip

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        amsgrad=False,
        *,
        foreach=None,
        maximize=False,
        capturable=False,
        differentiable=False,
        fused=None,
        decoupled_weight_decay=False,
    ):
        check_learning_rate(lr)
        check_at_least("epsilon value", eps)
        check_betas(betas, most=None)  # what follows two PyTorch does not look at
        check_at_least("weight_decay value", weight_decay)
        _check_tensors(lr, betas, foreach, capturable)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
            "amsgrad": amsgrad, "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "differentiable": differentiable, "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        })  # fmt: skip

    def _fresh(self, group, param):
        return {name: zeros(param) for name in self._states.values() if self._needs(group, name)}

    def _needs(self, group, state):
        return group["amsgrad"] or state != "max_exp_avg_sq"

    def _numbers(self, group):
        beta1, beta2 = group["betas"][0], group["betas"][1]
        return {
            "lr": float(group["lr"]), "beta1": float(beta1), "beta2": float(beta2),
            "weight_decay": group["weight_decay"], "eps": group["eps"],
            "amsgrad": group["amsgrad"], "decoupled": group["decoupled_weight_decay"],
        }  # fmt: skip


def adam(
    params,
    grads,
    exp_avgs,
    exp_avg_sqs,
    max_exp_avg_sqs,
    state_steps,
    foreach=None,
    capturable=False,
    differentiable=False,
    fused=None,
    grad_scale=None,
    found_inf=None,
    has_complex=False,
    decoupled_weight_decay=False,
    *,
    amsgrad,
    beta1,
    beta2,
    lr,
    weight_decay,
    eps,
    maximize,
):
    """One step of Adam on lists of tensors, in place."""
    check_form("adam", state_steps, differentiable, grad_scale, found_inf)
    step_lists(
        "_fused_adam_",
        params,
        grads,
        [exp_avgs, exp_avg_sqs, max_exp_avg_sqs if amsgrad else []],
        {"steps": state_steps},
        amsgrad=amsgrad,
        beta1=float(beta1),
        beta2=float(beta2),
        lr=float(lr),
        weight_decay=weight_decay,
        eps=eps,
        maximize=maximize,
        decoupled=decoupled_weight_decay,
    )
