"""Steps that autograd records (`differentiable=True`): what the fused operators compute, in ordinary ones.

Each function takes a group, a parameter, its gradient (against the ascent, where a group maximizes) and its
state by names, and returns the parameter's next value and the next ones of its state. None writes to what it
is given: autograd may have saved it.
"""

from opweave import _C
from opweave._C import Tensor
from opweave.functional import where
from opweave.optim._for_subclasses import _to_scalar


def apply(function, group, param, grad, state):
    """Writes what `function` returns to the parameter and its state."""
    kept = {name: value.clone() for name, value in state.items() if isinstance(value, Tensor)}
    grad = -grad if group["maximize"] else grad
    value, changed = function(group, param.clone(), grad, kept)
    param.copy_(value)
    for name, new in changed.items():
        if name in kept:
            state[name].copy_(_C.as_tensor(new))
        else:
            state[name] = new


def _decayed(group, param, grad):
    """The gradient with that of the weights' squares."""
    decay = group["weight_decay"]
    if isinstance(decay, Tensor):
        return grad + param * decay
    return grad.add(param, alpha=decay) if decay != 0 else grad


def _decoupled(group, lr, param, grad):
    """The parameter and its gradient: one of them with the decay of weights."""
    if not group["decoupled_weight_decay"]:
        return param, _decayed(group, param, grad)
    return param * (1 - lr * group["weight_decay"]), grad


def _means(betas, state, grad):
    """The means of gradients and of their squares."""
    beta1, beta2 = betas
    mean = state["exp_avg"].lerp(grad, 1 - beta1)
    return mean, state["exp_avg_sq"] * beta2 + grad * grad * (1 - beta2)


def sgd(group, param, grad, state):
    grad = _decayed(group, param, grad)
    lr, momentum = _to_scalar(group["lr"]), group["momentum"]
    if momentum == 0:
        return param - grad * lr, {}
    if "momentum_buffer" in state:
        buffer = state["momentum_buffer"] * momentum + grad * (1 - group["dampening"])
    else:
        buffer = grad.detach().clone()  # as in PyTorch: nothing goes back through the first one
    grad = grad + buffer * momentum if group["nesterov"] else buffer
    return param - grad * lr, {"momentum_buffer": buffer}


def adam(group, param, grad, state):
    lr, *betas = map(_to_scalar, (group["lr"], *group["betas"][:2]))
    step = state["step"] + 1
    param, grad = _decoupled(group, lr, param, grad)
    mean, square = _means(betas, state, grad)
    changed = {"step": step, "exp_avg": mean, "exp_avg_sq": square}
    if group["amsgrad"]:
        square = changed["max_exp_avg_sq"] = _C.maximum(state["max_exp_avg_sq"], square)
    first, second = (1 - beta**step for beta in betas)
    spread = square.sqrt() / second.sqrt() + group["eps"]
    return param - lr / first * mean / spread, changed


def adamax(group, param, grad, state):
    lr, (beta1, beta2) = _to_scalar(group["lr"]), group["betas"]
    step = state["step"].item() + 1
    grad = _decayed(group, param, grad)
    mean = state["exp_avg"].lerp(grad, 1 - beta1)
    both = _C.stack([state["exp_inf"] * beta2, grad.abs() + group["eps"]])
    largest = both.amax(0)
    changed = {"step": step, "exp_avg": mean, "exp_inf": largest}
    return param - lr / (1 - beta1**step) * mean / largest, changed


def nadam(group, param, grad, state):
    lr, (beta1, beta2) = _to_scalar(group["lr"]), group["betas"]
    step = state["step"].item() + 1
    param, grad = _decoupled(group, lr, param, grad)
    momentum, later = (
        beta1 * (1.0 - 0.5 * 0.96 ** (s * group["momentum_decay"])) for s in (step, step + 1)
    )
    product = state["mu_product"] * momentum
    mean, square = _means((beta1, beta2), state, grad)
    spread = (square / (1 - beta2**step)).sqrt() + group["eps"]
    of_gradient = lr * (1.0 - momentum) / (1.0 - product)
    of_mean = lr * later / (1.0 - product * later)
    changed = {"step": step, "mu_product": product, "exp_avg": mean, "exp_avg_sq": square}
    return param - of_gradient * grad / spread - of_mean * mean / spread, changed


def radam(group, param, grad, state):
    lr, (beta1, beta2) = _to_scalar(group["lr"]), group["betas"]
    step = state["step"].item() + 1
    param, grad = _decoupled(group, lr, param, grad)
    mean, square = _means((beta1, beta2), state, grad)
    changed = {"step": step, "exp_avg": mean, "exp_avg_sq": square}
    update = mean / (1 - beta1**step) * lr
    second = 1 - beta2**step
    longest = 2 / (1 - beta2) - 1
    length = longest - 2 * step * beta2**step / second
    if length > 5.0:  # else the variance is not known yet
        share = (length - 4) * (length - 2) * longest
        rectified = (share / ((longest - 4) * (longest - 2) * length)) ** 0.5
        update = update * (second**0.5 * rectified) / (square.sqrt() + group["eps"])
    return param - update, changed


def adagrad(group, param, grad, state):
    step = state["step"].item() + 1
    grad = _decayed(group, param, grad)
    lr = _to_scalar(group["lr"]) / (1 + (step - 1) * group["lr_decay"])
    total = state["sum"] + grad * grad
    changed = {"step": step, "sum": total}
    return param - lr * grad / (total.sqrt() + group["eps"]), changed


def adadelta(group, param, grad, state):
    rho, eps = group["rho"], group["eps"]
    grad = _decayed(group, param, grad)
    square = state["square_avg"] * rho + grad * grad * (1 - rho)
    delta = (state["acc_delta"] + eps).sqrt() / (square + eps).sqrt() * grad
    changed = {
        "step": state["step"] + 1,
        "square_avg": square,
        "acc_delta": state["acc_delta"] * rho + delta * delta * (1 - rho),
    }
    return param - delta * _to_scalar(group["lr"]), changed


def rmsprop(group, param, grad, state):
    alpha, momentum = group["alpha"], group["momentum"]
    grad = _decayed(group, param, grad)
    square = state["square_avg"] * alpha + grad * grad * (1 - alpha)
    changed = {"step": state["step"] + 1, "square_avg": square}
    variance = square
    if group["centered"]:
        mean = changed["grad_avg"] = state["grad_avg"].lerp(grad, 1 - alpha)
        variance = square - mean * mean
    update = grad / (variance.sqrt() + group["eps"])
    if momentum > 0:
        update = changed["momentum_buffer"] = state["momentum_buffer"] * momentum + update
    return param - update * _to_scalar(group["lr"]), changed


def rprop(group, param, grad, state):
    (shrinks, grows), (least, most) = group["etas"], group["step_sizes"]
    agrees = (grad * state["prev"]).sign()
    factor = where(agrees > 0, grows, where(agrees < 0, shrinks, 1.0))
    size = (state["step_size"] * factor.to(param.dtype)).clamp(least, most)
    grad = where(agrees < 0, 0.0, grad)
    changed = {"step": state["step"] + 1, "step_size": size, "prev": grad}
    return param - grad.sign() * size, changed


def asgd(group, param, grad, state):
    lr, lambd = _to_scalar(group["lr"]), group["lambd"]
    step, eta, mu = (state[name].item() for name in ("step", "eta", "mu"))
    grad = _decayed(group, param, grad)
    param = param * (1 - lambd * eta) - grad * eta
    average = param if mu == 1 else state["ax"] + (param - state["ax"]) * mu
    changed = {
        "step": step + 1,
        "ax": average,
        "eta": lr / (1 + lambd * lr * (step + 1)) ** group["alpha"],
        "mu": 1 / max(1, step + 1 - group["t0"]),
    }
    return param, changed
