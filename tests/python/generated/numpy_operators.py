"""Operators that PyTorch does not have, in NumPy: from the arguments (by name, tensors as arrays, defaults
included) to the result or the results, or to what is written where the operator returns nothing."""

import numpy as np


def _fused_adam(a):
    parameters, moments, squares, maxima, steps = [], [], [], [], []
    for i, p in enumerate(a["self"]):
        step = a["steps"][i] + np.float32(1)
        g = -a["grads"][i] if a["maximize"] else a["grads"][i]
        if a["decoupled"]:
            p = p * (1 - a["lr"] * a["weight_decay"])
        else:
            g = g + a["weight_decay"] * p
        m = a["beta1"] * a["exp_avgs"][i] + (1 - a["beta1"]) * g
        v = a["beta2"] * a["exp_avg_sqs"][i] + (1 - a["beta2"]) * g * g
        largest = v
        if a["amsgrad"]:
            largest = np.maximum(a["max_exp_avg_sqs"][i], v)
            maxima.append(largest)
        scale = a["lr"] / (1 - a["beta1"] ** step.astype(np.float64))
        root = np.sqrt(largest) / np.sqrt(1 - a["beta2"] ** step.astype(np.float64))
        parameters.append(p - scale * m / (root + a["eps"]))
        moments.append(m)
        squares.append(v)
        steps.append(step)
    return parameters + moments + squares + maxima + steps


def _each(a, step):
    """Of every parameter: `step(i, p, g, t)` gives what it and its states become, of which each is a list."""
    rows = []
    for i, p in enumerate(a["self"]):
        g = -a["grads"][i] if a["maximize"] else a["grads"][i]
        t = a["steps"][i] + np.float32(1)
        if a.get("decoupled"):
            p = p * (1 - a["lr"] * a["weight_decay"])
        else:
            g = g + a.get("weight_decay", 0) * p
        rows.append([*step(i, p, g, t.astype(np.float64)), t])
    return [value for column in zip(*rows, strict=True) for value in column]


def _fused_adagrad(a):
    def step(i, p, g, t):
        total = a["state_sums"][i] + g * g
        return p - a["lr"] / (1 + (t - 1) * a["lr_decay"]) * g / (np.sqrt(total) + a["eps"]), total

    return _each(a, step)


def _fused_adadelta(a):
    def step(i, p, g, t):
        square = a["rho"] * a["square_avgs"][i] + (1 - a["rho"]) * g * g
        delta = np.sqrt(a["acc_deltas"][i] + a["eps"]) / np.sqrt(square + a["eps"]) * g
        moved = a["rho"] * a["acc_deltas"][i] + (1 - a["rho"]) * delta * delta
        return p - a["lr"] * delta, square, moved

    return _each(a, step)


def _fused_adamax(a):
    def step(i, p, g, t):
        m = a["beta1"] * a["exp_avgs"][i] + (1 - a["beta1"]) * g
        largest = np.maximum(a["beta2"] * a["exp_infs"][i], np.abs(g) + a["eps"])
        return p - a["lr"] / (1 - a["beta1"] ** t) * m / largest, m, largest

    return _each(a, step)


def _moments(a, i, g):
    m = a["beta1"] * a["exp_avgs"][i] + (1 - a["beta1"]) * g
    return m, a["beta2"] * a["exp_avg_sqs"][i] + (1 - a["beta2"]) * g * g


def _fused_nadam(a):
    def step(i, p, g, t):
        m, v = _moments(a, i, g)
        mu, following = (
            a["beta1"] * (1 - 0.5 * 0.96 ** (n * a["momentum_decay"])) for n in (t, t + 1)
        )
        product = a["mu_products"][i] * np.float32(mu)
        root = np.sqrt(v / (1 - a["beta2"] ** t)) + a["eps"]
        p = p - a["lr"] * (1 - mu) / (1 - product) * g / root
        p = p - a["lr"] * following / (1 - product * following) * m / root
        return p, m, v, product.astype(np.float32)

    return _each(a, step)


def _fused_radam(a):
    def step(i, p, g, t):
        m, v = _moments(a, i, g)
        corrected = m / (1 - a["beta1"] ** t)
        last, power = 2 / (1 - a["beta2"]) - 1, a["beta2"] ** t
        now = last - 2 * t * power / (1 - power)
        if now > 5:
            rectified = np.sqrt((now - 4) * (now - 2) * last / ((last - 4) * (last - 2) * now))
            corrected = corrected * rectified * np.sqrt(1 - power) / (np.sqrt(v) + a["eps"])
        return p - a["lr"] * corrected, m, v

    return _each(a, step)


def _fused_rmsprop(a):
    def step(i, p, g, t):
        square = a["alpha"] * a["square_avgs"][i] + (1 - a["alpha"]) * g * g
        states, spread = [square], square
        if a["centered"]:
            mean = a["alpha"] * a["grad_avgs"][i] + (1 - a["alpha"]) * g
            spread = square - mean * mean
            states.append(mean)
        moved = g / (np.sqrt(spread) + a["eps"])
        if a["momentum"] > 0:
            moved = a["momentum"] * a["momentum_buffers"][i] + moved
            states.append(moved)
        return p - a["lr"] * moved, *states

    return _each(a, step)


def _fused_rprop(a):
    def step(i, p, g, t):
        turn = np.sign(g * a["prevs"][i])
        factor = np.where(turn > 0, a["etaplus"], np.where(turn < 0, a["etaminus"], 1))
        size = np.clip(a["step_sizes"][i] * factor, a["step_size_min"], a["step_size_max"])
        g = np.where(turn < 0, 0, g)
        return p - np.sign(g) * size, g, size

    return _each(a, step)


def _max_unpool(n, a):
    pooled, lead = a["self"].shape[-n:], a["self"].shape[:-n]
    kernel, padding = (np.broadcast_to(a[name], n) for name in ("kernel_size", "padding"))
    step = np.broadcast_to(a["stride"] or a["kernel_size"], n)
    usual = [
        (p - 1) * s - 2 * q + k for p, s, q, k in zip(pooled, step, padding, kernel, strict=True)
    ]
    sizes = tuple(a["output_size"][-n:] if a["output_size"] else usual)
    found = np.zeros((*lead, int(np.prod(sizes))), a["self"].dtype)
    np.put_along_axis(found, a["indices"].reshape(*lead, -1), a["self"].reshape(*lead, -1), axis=-1)
    return found.reshape(*lead, *sizes)


def _gaussian_nll_loss(a):
    var = np.maximum(a["var"], a["eps"])
    loss = (np.log(var) + (a["input"] - a["target"]) ** 2 / var) / 2
    loss = loss + (np.log(2 * np.pi) / 2 if a["full"] else 0)
    return {0: loss, 2: loss.sum()}.get(a["reduction"], loss.mean())


def _fused_asgd(a):
    def step(i, p, g, t):
        eta, mu = a["etas"][i], a["mus"][i]
        p = p * (1 - a["lambd"] * eta) - eta * g
        eta = np.float32(a["lr"] / (1 + a["lambd"] * a["lr"] * t) ** a["alpha"])
        following = np.float32(1 / max(1, t - a["t0"]))
        return p, a["axs"][i] + (p - a["axs"][i]) * mu, following, eta

    return _each(a, step)


OPERATORS = {
    "gaussian_nll_loss": _gaussian_nll_loss,
    "max_unpool1d": lambda a: _max_unpool(1, a),
    "max_unpool2d": lambda a: _max_unpool(2, a),
    "max_unpool3d": lambda a: _max_unpool(3, a),
    "_fused_adadelta_": _fused_adadelta,
    "_fused_adagrad_": _fused_adagrad,
    "_fused_adam_": _fused_adam,
    "_fused_adamax_": _fused_adamax,
    "_fused_asgd_": _fused_asgd,
    "_fused_nadam_": _fused_nadam,
    "_fused_radam_": _fused_radam,
    "_fused_rmsprop_": _fused_rmsprop,
    "_fused_rprop_": _fused_rprop,
    # Functions of Python there, which nothing calls by an operator's name.
    "softsign": lambda a: a["self"] / (1 + np.abs(a["self"])),
    "tanhshrink": lambda a: a["self"] - np.tanh(a["self"]),
}
