"""Muon."""

from opweave import _C
from opweave._grad_mode import no_grad
from opweave.optim._stateful import StatefulOptimizer, zeros

_SMALL = 100  # steps, of which more are a mistake
_ELEMENTS = 1 << 20  # of the matrices that are multiplied together


class Muon(StatefulOptimizer):
    """Momentum whose matrix is brought near an orthogonal one: Jordan et al., "Muon: An optimizer for hidden
    layers in neural networks" (2024); `adjust_lr_fn="match_rms_adamw"` after Liu et al., "Muon is Scalable
    for LLM Training" (2025). Parameters are matrices.
    """

    _counts = {}
    _begins_with = "momentum_buffer"
    _of_older_states = {}  # no state is older than one of its options

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
        if isinstance(lr, _C.Tensor) and lr.numel() != 1:
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

    def _fresh(self, group, param):
        return {"momentum_buffer": zeros(param)}

    def _update(self, group, params, grads):
        _step(group, params, grads, [self._state_of(group, p)["momentum_buffer"] for p in params])


def _step(group, params, grads, means):
    factor = -float(group["lr"])
    for chosen in _batches(params):
        updates = [_direction(group, grads[i], means[i]) for i in chosen]
        many = _C.stack(updates) if len(updates) > 1 else updates[0].unsqueeze(0)
        many = _orthogonal(many, group["ns_coefficients"], group["ns_steps"], group["eps"])
        for i, update in zip(chosen, many.unbind(), strict=True):
            params[i].mul_(1 + factor * group["weight_decay"])
            adjusted = _adjusted(group["adjust_lr_fn"], *params[i].shape)
            params[i].add_(update, alpha=factor * adjusted)


def _direction(group, grad, mean):
    """The momentum, with a step ahead after Nesterov: what is made orthogonal."""
    mean.lerp_(grad, 1 - group["momentum"])
    return grad.lerp(mean, group["momentum"]) if group["nesterov"] else mean


def _batches(params):
    """Places of parameters of equal sizes and dtype, as many together as the caches have room for."""
    alike = {}
    for i, param in enumerate(params):
        alike.setdefault((tuple(param.shape), param.dtype), []).append(i)
    for (sizes, _), places in alike.items():
        most = max(1, _ELEMENTS // max(1, sizes[0] * sizes[1]))
        yield from (places[k : k + most] for k in range(0, len(places), most))


def _adjusted(how, rows, columns):
    """What the learning rate is multiplied by, so that it means the same for matrices of all sizes."""
    if how == "match_rms_adamw":
        return 0.2 * max(rows, columns) ** 0.5
    ratio = rows / columns
    return (ratio if how == "spectral_unclamped" else max(1.0, ratio)) ** 0.5


def _orthogonal(matrices, coefficients, steps, eps):
    """Near U V' of the singular value decompositions U S V', in bfloat16, by an iteration of odd polynomials.

    Of each x: a x + b x x' x + c (x x')^2 x, `steps` times from the matrix over its norm on. ValueError for
    more than 99 steps, for other than three coefficients, or another number of dimensions than two.
    """
    if steps >= _SMALL:
        raise ValueError(
            f"Number of steps must be less than {_SMALL} for computational efficiency, got {steps}"
        )
    if matrices.dim() != 3:
        raise ValueError(
            f"Input tensor gradient must be a 2D matrix, got {matrices.dim() - 1} dimensions"
        )
    if len(coefficients) != 3:
        raise ValueError(
            f"Coefficients must be a tuple of exactly 3 values, got {len(coefficients)}"
        )
    a, b, c = coefficients
    x = matrices.bfloat16()
    is_tall = x.shape[1] > x.shape[2]
    x = x.mT if is_tall else x
    x = x / x.norm(dim=(1, 2), keepdim=True).clamp(min=eps)
    for _ in range(steps):
        gram = x @ x.mT
        x = _C.baddbmm(x, _C.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.mT if is_tall else x


def muon(
    params,
    grads,
    muon_momentum_bufs,
    *,
    foreach=None,
    lr,
    weight_decay,
    momentum,
    nesterov,
    ns_coefficients,
    ns_steps,
    eps,
    adjust_lr_fn,
    has_complex,
):
    """One step of Muon on lists of matrices, in place."""
    group = {
        "lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
        "ns_coefficients": ns_coefficients, "ns_steps": ns_steps, "eps": eps, "adjust_lr_fn": adjust_lr_fn,
    }  # fmt: skip
    with no_grad():
        _step(group, params, grads, muon_momentum_bufs)
