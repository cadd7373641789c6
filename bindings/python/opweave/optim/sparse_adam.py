"""SparseAdam."""

from opweave._C import Tensor
from opweave._grad_mode import enable_grad, no_grad
from opweave.optim._stateful import check_betas
from opweave.optim.optimizer import Optimizer


class SparseAdam(Optimizer):
    """Adam for sparse gradients. There are no sparse tensors yet, and a step refuses dense ones."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, maximize=False):
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError(f"Tensor lr must be 1-element, got one of {lr.numel()} elements")
        for name, value in {"learning rate": lr, "epsilon value": eps}.items():
            if not value > 0.0:
                raise ValueError(f"Invalid {name}: {value}")
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        for i, group in enumerate(self.param_groups):
            for j, param in enumerate(group["params"]):
                if param.is_complex():
                    raise ValueError(
                        f"Complex params at indices [[{i}, {j}]]: SparseAdam does not support complex "
                        "parameters"
                    )

    def step(self, closure=None):
        """One update; `closure` computes the loss anew and returns it.

        Raises:
            RuntimeError: a gradient that is dense.
        """
        with no_grad():
            loss = None if closure is None else enable_grad()(closure)()
        if any(p.grad is not None for group in self.param_groups for p in group["params"]):
            raise RuntimeError(
                "SparseAdam does not support dense gradients, please consider Adam instead"
            )
        return loss


def sparse_adam(
    params, grads, exp_avgs, exp_avg_sqs, state_steps, *, eps, beta1, beta2, lr, maximize
):
    """One step of SparseAdam on lists of tensors.

    Raises:
        RuntimeError: a gradient that is dense.
    """
    if grads:
        raise RuntimeError(
            "sparse_adam(): expected sparse gradients, got dense ones; adam() takes those"
        )
