"""Muon."""

import opweave
from opweave.optim.optimizer import Optimizer

_SMALL = 100  # steps, of which more are a mistake


class Muon(Optimizer):
    """Momentum whose matrix is brought near an orthogonal one: Jordan et al., "Muon: An optimizer for hidden
    layers in neural networks" (2024); `adjust_lr_fn="match_rms_adamw"` after Liu et al., "Muon is Scalable
    for LLM Training" (2025). Parameters are matrices.
    """

    def __init__(
        self,
        params,
        lr=1e-3,
        weight_decay=0.1,
        momentum=0.95,
        nesterov=True,
        ns_coefficients=(3.4445, -4.775, 2.0315),
        eps=1e-7,
        ns_steps=5,
        adjust_lr_fn=None,
    ):
        if isinstance(lr, opweave.Tensor) and lr.numel() != 1:
            raise ValueError(f"Tensor lr must be 1-element, got one of {lr.numel()} elements")
        for name, value in {
            "Learning rate": lr,
            "momentum": momentum,
            "weight decay": weight_decay,
        }.items():
            if not value >= 0:
                raise ValueError(f"{name} should be >= 0 but is: {value}")
        if adjust_lr_fn not in (None, "original", "match_rms_adamw", "spectral_unclamped"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(params, {
            "lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
            "ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        })  # fmt: skip
        for group in self.param_groups:
            for param in group["params"]:
                if param.dim() != 2:
                    raise ValueError(
                        f"Muon only supports 2D parameters whereas we found a parameter with size: "
                        f"{tuple(param.shape)}"
                    )

    def _update(self, group, params, grads):
        lr = float(group["lr"])
        for param, grad in zip(params, grads, strict=True):
            state = self.state[param]
            if "momentum_buffer" not in state:
                state["momentum_buffer"] = opweave.zeros_like(grad)
            mean = state["momentum_buffer"].lerp_(grad, 1 - group["momentum"])
            update = grad.lerp(mean, group["momentum"]) if group["nesterov"] else mean
            update = _orthogonal(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
            param.mul_(1 - lr * group["weight_decay"])
            param.add_(update, alpha=-lr * _adjusted(group["adjust_lr_fn"], *param.shape))


def _adjusted(how, rows, columns):
    """What the learning rate is multiplied by, so that it means the same for matrices of all sizes."""
    if how == "match_rms_adamw":
        return 0.2 * max(rows, columns) ** 0.5
    ratio = rows / columns
    return (ratio if how == "spectral_unclamped" else max(1.0, ratio)) ** 0.5


def _orthogonal(matrix, coefficients, steps, eps):
    """Near U V' of the singular value decomposition U S V', in bfloat16, by an iteration of odd polynomials.

    Of x: a x + b x x' x + c (x x')^2 x, `steps` times from the matrix over its norm on. ValueError for more
    than 99 steps, for other than three coefficients, or another number of dimensions than two.
    """
    if steps >= _SMALL:
        raise ValueError(
            f"Number of steps must be less than {_SMALL} for computational efficiency, got {steps}"
        )
    if matrix.dim() != 2:
        raise ValueError(
            f"Input tensor gradient must be a 2D matrix, got {matrix.dim()} dimensions"
        )
    if len(coefficients) != 3:
        raise ValueError(
            f"Coefficients must be a tuple of exactly 3 values, got {len(coefficients)}"
        )
    a, b, c = coefficients
    x = matrix.bfloat16()
    is_tall = x.shape[0] > x.shape[1]
    x = x.t() if is_tall else x
    x = x / x.norm().clamp(min=eps)
    for _ in range(steps):
        gram = x @ x.t()
        x = opweave.addmm(x, opweave.addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.t() if is_tall else x
