"""What the programs of programs.h compute, in NumPy: plainly, in float64."""

import math

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


# n! times the sum of 1 / (x + k)^(n + 1): many terms, and the integral and half a term for the others.
def _polygamma(n, x, terms=4000):
    s = n + 1.0
    counted = sum((x + k) ** -s for k in range(terms))
    y = x + terms
    rest = y**-n / n + 0.5 * y**-s + s / 12 * y ** (-s - 1)
    return (-1) ** (n + 1) * math.factorial(n) * (counted + rest)


def _digamma(x, terms=4000):
    y = x + terms
    return np.log(y) - 0.5 / y - 1 / (12 * y * y) - sum(1 / (x + k) for k in range(terms))


# By their integral over half a circle, whose sum over even steps is exact to the last digits.
def _bessel(v, x):
    angles = (np.arange(400) + 0.5) * (math.pi / 400)
    return sum(np.exp(x * np.cos(t)) * np.cos(v * t) for t in angles) / 400


def _special(inputs, rows, params):
    self = inputs[0]
    third = np.broadcast_to(
        np.where(rows[0] > 2, _polygamma(3, self), _polygamma(2, self)), self.shape
    )
    scaled = _bessel(1, self) * np.exp(-np.abs(self))
    size = self.shape[1]
    return [_digamma(self), _polygamma(1, self), third, _bessel(0, self), scaled, self / size]


SPECIAL = Formula("special_fold", 0, _special, rows=1, results=("full",) * 6)

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
