"""Gradients of convolutions by themselves: with respect to the input, and to the weight."""

from opweave import autograd
from opweave._grad_mode import enable_grad
from opweave.nn import functional


def _of_input(convolution, input_size, weight, grad_output, options):
    input = grad_output.new_zeros(tuple(input_size)).requires_grad_()
    with enable_grad():
        found = convolution(input, weight.detach(), None, *options)
    return autograd.grad(found, input, grad_output)[0]


def _of_weight(convolution, input, weight_size, grad_output, options):
    weight = grad_output.new_zeros(tuple(weight_size)).requires_grad_()
    with enable_grad():
        found = convolution(input.detach(), weight, None, *options)
    return autograd.grad(found, weight, grad_output)[0]


def _gradients_of(dimensions):
    """The two functions for convolutions of some dimensions."""
    convolution = getattr(functional, f"conv{dimensions}d")

    def conv_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
        options = stride, padding, dilation, groups
        return _of_input(convolution, input_size, weight, grad_output, options)

    def conv_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
        options = stride, padding, dilation, groups
        return _of_weight(convolution, input, weight_size, grad_output, options)

    for function, of in ((conv_input, "input"), (conv_weight, "weight")):
        function.__name__ = function.__qualname__ = f"conv{dimensions}d_{of}"
        function.__doc__ = f"""The gradient of conv{dimensions}d() with respect to its {of}.

    Args:
        {of}_size: the sizes of the {of}.
        grad_output: the gradient with respect to its result.
        stride, padding, dilation, groups: those of conv{dimensions}d().

    Raises:
        RuntimeError: sizes that do not fit.
    """
    return conv_input, conv_weight


conv1d_input, conv1d_weight = _gradients_of(1)
conv2d_input, conv2d_weight = _gradients_of(2)
conv3d_input, conv3d_weight = _gradients_of(3)
