"""What copies of PyTorch's optimizers call: fused steps, which count no steps and may unscale gradients."""

import importlib

from opweave.optim._forms import step_lists


def _fused(operator, *states, **fixed):
    """The step of an operator of ours that counts steps itself; of the lists only those called "steps" do."""

    def step(self, grads, *lists, lr, grad_scale=None, found_inf=None, **numbers):
        if found_inf is not None and bool(found_inf):
            return
        if grad_scale is not None:
            for grad in grads:
                grad.div_(grad_scale)
        kept = dict(zip(states, lists, strict=True))
        counts = {n: [count - 1 for count in kept.pop(n)] for n in ("steps",) if n in kept}
        step_lists(
            operator, self, grads, list(kept.values()), counts, lr=float(lr), **numbers, **fixed
        )

    step.__doc__ = f"torch.{operator}: one step on lists of tensors, in place."
    return step


_MOMENTS = ("exp_avgs", "exp_avg_sqs", "max_exp_avg_sqs", "steps")
fused_sgd_ = _fused("_fused_sgd_", "momentum_buffers")
fused_adagrad_ = _fused("_fused_adagrad_", "state_sums", "steps")
fused_adam_ = _fused("_fused_adam_", *_MOMENTS, decoupled=False)
fused_adamw_ = _fused("_fused_adam_", *_MOMENTS, decoupled=True)


def make_sparse(grad, grad_indices, values):
    """A sparse gradient of other values, which Opweave lacks: torch.sparse_coo_tensor says so."""
    return importlib.import_module("torch").sparse_coo_tensor(grad_indices, values, grad.size())
