"""Activations as modules."""

from opweave.nn import functional
from opweave.nn.modules.module import Module


class _Activation(Module):
    """Calls the function of its class with the options that it was made with.

    Subclasses name the options, in order, with their defaults; `inplace` is left out of the printing
    while it is False, as are options that equal a hidden default.
    """

    _function = None
    _options = ()
    _hidden = {"inplace": False}

    def __init__(self, *args, **kwargs):
        super().__init__()
        names = [name for name, _ in self._options]
        if len(args) > len(names):
            raise TypeError(
                f"{type(self).__name__}() takes at most {len(names)} arguments, got {len(args)}"
            )
        values = dict(self._options)
        values.update(zip(names, args))
        for name, value in kwargs.items():
            if name not in values:
                raise TypeError(
                    f"{type(self).__name__}.__init__() got an unexpected keyword argument '{name}'"
                )
            values[name] = value
        for name, value in values.items():
            setattr(self, name, value)

    def forward(self, input):
        options = {name: getattr(self, name) for name, _ in self._options}
        return getattr(functional, self._function)(input, **options)

    def extra_repr(self):
        shown = []
        for name, _ in self._options:
            value = getattr(self, name)
            if name not in self._hidden or value != self._hidden[name]:
                shown.append(f"{name}={value!r}" if isinstance(value, str) else f"{name}={value}")
        return ", ".join(shown)


class Sigmoid(_Activation):
    _function = "sigmoid"


class Tanh(_Activation):
    _function = "tanh"


class LogSigmoid(_Activation):
    _function = "logsigmoid"


class ReLU(_Activation):
    _options = (("inplace", False),)

    def forward(self, input):
        return functional.relu_(input) if self.inplace else functional.relu(input)


class ReLU6(_Activation):
    _function = "relu6"
    _options = (("inplace", False),)


class SiLU(_Activation):
    _function = "silu"
    _options = (("inplace", False),)


class GELU(_Activation):
    _function = "gelu"
    _options = (("approximate", "none"),)


class Softplus(_Activation):
    _function = "softplus"
    _options = (("beta", 1.0), ("threshold", 20.0))


class LeakyReLU(_Activation):
    _function = "leaky_relu"
    _options = (("negative_slope", 0.01), ("inplace", False))


class ELU(_Activation):
    _function = "elu"
    _options = (("alpha", 1.0), ("inplace", False))


class Hardtanh(_Activation):
    _function = "hardtanh"
    _options = (("min_val", -1.0), ("max_val", 1.0), ("inplace", False))


class GLU(_Activation):
    _function = "glu"
    _options = (("dim", -1),)


class Softmax(_Activation):
    _function = "softmax"
    _options = (("dim", None),)


class Softmin(_Activation):
    _function = "softmin"
    _options = (("dim", None),)


class LogSoftmax(_Activation):
    _function = "log_softmax"
    _options = (("dim", None),)


class Dropout(Module):
    """Zeroes elements with probability p in training, and scales the others by 1 / (1 - p)."""

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def forward(self, input):
        return functional.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"
