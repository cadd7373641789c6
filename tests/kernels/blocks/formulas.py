"""What the programs of programs.h compute, in NumPy: plainly, in float64."""

import numpy as np

from tests.kernels.blocks.harness import Formula


def _softmax(inputs, rows, params):
    self = inputs[0]
    power = np.exp(self - _finite(self.max(1, keepdims=True)))
    return [power / power.sum(1, keepdims=True)]


def _finite(maximum):
    return np.where(np.isinf(maximum), 0, maximum)


def _logsumexp(inputs, rows, params):
    greatest = _finite(inputs[0].max(1, keepdims=True))
    return [np.log(np.exp(inputs[0] - greatest).sum(1, keepdims=True)) + greatest]


def _rms_norm(inputs, rows, params):
    self, weight = inputs
    root = 1 / np.sqrt((self**2).mean(1, keepdims=True) + params[0])
    return [self * root * weight, root]


def _rms_norm_backward(inputs, rows, params):
    grad, self, weight = inputs
    root = rows[0]
    slope = (grad * weight * self).mean(1, keepdims=True) * root**3
    return [grad * weight * root - self * slope, (grad * self * root).sum(0)]


def _var_mean(inputs, rows, params):
    self = inputs[0]
    mean = self.mean(1, keepdims=True)
    return [((self - mean) ** 2).sum(1, keepdims=True) / (self.shape[1] - params[0]), mean]


def _softmax_backward(inputs, rows, params):
    grad, output = inputs
    return [output * (grad - (grad * output).sum(1, keepdims=True))]


def _extremes(inputs, rows, params):
    self = inputs[0]
    above, below = rows[0] < self, self < rows[0]
    product = (above * 1.0 - below).prod(1, keepdims=True)
    least, greatest = (
        self.min(1, keepdims=True, initial=np.inf),
        self.max(1, keepdims=True, initial=-np.inf),
    )
    return [least, greatest, self.sum(1, keepdims=True), product]


FORMULAS = [
    Formula("softmax_fold", 2, _softmax),
    Formula("logsumexp_fold", 2, _logsumexp, results=("row",)),
    Formula(
        "rms_norm_fold", 1, _rms_norm, ("full", "column"), params=(1e-5,), results=("full", "row")
    ),
    Formula(
        "rms_norm_backward_fold",
        1,
        _rms_norm_backward,
        ("full", "full", "column"),
        rows=1,
        results=("full", "column"),
    ),
    Formula("var_mean_fold", 2, _var_mean, params=(0.5,), results=("row", "row")),
    Formula("softmax_backward_fold", 1, _softmax_backward, ("full", "full")),
    Formula("extremes_fold", 1, _extremes, rows=1, results=("row", "row", "row", "row")),
]
