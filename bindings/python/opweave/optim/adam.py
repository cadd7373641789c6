"""Adam and AdamW."""

from opweave._C import Tensor
from opweave.optim._elementwise import ElementwiseOptimizer
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
        check_betas(betas)
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
        beta1, beta2 = group["betas"]
        return {
            "lr": float(group["lr"]), "beta1": float(beta1), "beta2": float(beta2),
            "weight_decay": group["weight_decay"], "eps": group["eps"],
            "amsgrad": group["amsgrad"], "decoupled": group["decoupled_weight_decay"],
        }  # fmt: skip


class AdamW(Adam):
    """Adam with weight decay apart from the gradient: Loshchilov and Hutter, "Decoupled Weight Decay
    Regularization" (ICLR 2019).
    """

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=1e-2,
        amsgrad=False,
        *,
        maximize=False,
        foreach=None,
        capturable=False,
        differentiable=False,
        fused=None,
    ):
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True  # a state of Adam says otherwise
