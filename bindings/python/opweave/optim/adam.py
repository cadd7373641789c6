"""Adam and AdamW."""

import opweave
from opweave.optim._fused import call_fused
from opweave.optim.optimizer import Optimizer, check_at_least


class Adam(Optimizer):
    """Kingma and Ba, "Adam: A Method for Stochastic Optimization" (ICLR 2015); amsgrad after Reddi, Kale
    and Kumar, "On the Convergence of Adam and Beyond" (ICLR 2018). All updates of a step are one fused
    operator call.
    """

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
        check_at_least("learning rate", lr)
        check_at_least("epsilon value", eps)
        for i, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {beta}")
        check_at_least("weight_decay value", weight_decay)
        super().__init__(params, {
            "lr": lr, "betas": tuple(betas), "eps": eps, "weight_decay": weight_decay,
            "amsgrad": amsgrad, "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "differentiable": differentiable, "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        })  # fmt: skip

    def _state_of(self, param, amsgrad):
        state = self.state[param]
        if not state:
            state["step"] = opweave.tensor(0.0)
            state["exp_avg"] = opweave.zeros_like(param)
            state["exp_avg_sq"] = opweave.zeros_like(param)
            if amsgrad:
                state["max_exp_avg_sq"] = opweave.zeros_like(param)
        return state

    def _update(self, group, params, grads):
        amsgrad = group["amsgrad"]
        states = [self._state_of(p, amsgrad) for p in params]
        beta1, beta2 = group["betas"]
        call_fused(
            opweave._C._fused_adam_,
            params,
            grads,
            [s["exp_avg"] for s in states],
            [s["exp_avg_sq"] for s in states],
            [s["max_exp_avg_sq"] for s in states] if amsgrad else [],
            steps=[s["step"] for s in states],
            lr=float(group["lr"]),
            beta1=beta1,
            beta2=beta2,
            weight_decay=group["weight_decay"],
            eps=group["eps"],
            amsgrad=amsgrad,
            maximize=group["maximize"],
            decoupled=group["decoupled_weight_decay"],
        )


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

    def _complete_groups(self):
        super()._complete_groups()
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True  # a state of Adam says otherwise
