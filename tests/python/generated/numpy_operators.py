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


OPERATORS = {"_fused_adam_": _fused_adam}
