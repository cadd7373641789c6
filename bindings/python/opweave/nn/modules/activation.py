"""Activations as modules."""

import inspect
import warnings

from opweave import _C
from opweave._grad_mode import no_grad
from opweave.nn import functional
from opweave.nn.modules.module import Module
from opweave.nn.parameter import Parameter


class _Activation(Module):
    """Calls the function of its class with the options that it was made with.

    Subclasses name the options, in order, with their defaults; `inplace` is left out of the printing
    while it is False, as are options that equal a hidden default.
    """

    _function = None
    _options = ()
    _hidden = {"inplace": False}

    def __init_subclass__(cls, **options):
        """Tells who asks for the signature of a class of its options."""
        super().__init_subclass__(**options)
        if "__init__" not in vars(cls) and "_options" in vars(cls):
            kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
            cls.__signature__ = inspect.Signature(
                [inspect.Parameter(n, kind, default=value) for n, value in cls._options]
            )

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
        if "inplace" in options:
            options["inplace"] = bool(options["inplace"])  # programs give whatever is true
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

    def __init__(self, min_val=-1.0, max_val=1.0, inplace=False, min_value=None, max_value=None):
        low = self._renamed("min", min_val, min_value)
        high = self._renamed("max", max_val, max_value)
        super().__init__(low, high, inplace)
        if not self.max_val > self.min_val:
            raise AssertionError(
                f"Hardtanh: max_val ({self.max_val}) must be greater than min_val ({self.min_val})"
            )

    @staticmethod
    def _renamed(end, value, old):
        """The argument, or what is given by the name that it had in older programs."""
        if old is None:
            return value
        warnings.warn(
            f"keyword argument `{end}_value` is deprecated and renamed to `{end}_val`",
            FutureWarning,
            stacklevel=3,
        )
        return old


class ReLU6(Hardtanh):
    _hidden = {"min_val": 0.0, "max_val": 6.0, "inplace": False}

    def __init__(self, inplace=False):
        super().__init__(0.0, 6.0, inplace)


class GLU(_Activation):
    _function = "glu"
    _options = (("dim", -1),)


class _OfDim(_Activation):
    """Files may be older than its dimension."""

    _options = (("dim", None),)

    def __setstate__(self, state):
        super().__setstate__({"dim": None, **state})


class _AlongDim(_OfDim):
    """One whose dimension is a number; Softmin is none, as PyTorch does not look at its before the call."""

    _options = (("dim", None),)

    def __init__(self, dim=None):
        super().__init__(dim)
        if self.dim is not None and (not isinstance(self.dim, int) or isinstance(self.dim, bool)):
            raise TypeError(
                f"{type(self).__name__}: dim must be an int or None, got {type(self.dim)}"
            )


class Softmax(_AlongDim):
    _function = "softmax"


class Softmin(_OfDim):
    _function = "softmin"


class LogSoftmax(_AlongDim):
    _function = "log_softmax"


class CELU(_Activation):
    _function = "celu"
    _options = (("alpha", 1.0), ("inplace", False))


class SELU(_Activation):
    _function = "selu"
    _options = (("inplace", False),)


class Mish(_Activation):
    _function = "mish"
    _options = (("inplace", False),)


class _Hard(_Activation):
    _options = (("inplace", False),)

    def extra_repr(self):
        return ""


class Hardsigmoid(_Hard):
    _function = "hardsigmoid"


class Hardswish(_Hard):
    _function = "hardswish"


class _Shrink(_Activation):
    _options = (("lambd", 0.5),)

    def extra_repr(self):
        return f"{self.lambd}"


class Hardshrink(_Shrink):
    _function = "hardshrink"


class Softshrink(_Shrink):
    _function = "softshrink"


class Softsign(_Activation):
    _function = "softsign"


class Tanhshrink(_Activation):
    _function = "tanhshrink"


class Threshold(_Activation):
    """The number where it is above `threshold`, else `value`."""

    _function = "threshold"

    def __init__(self, threshold, value, inplace=False):
        Module.__init__(self)
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input):
        return functional.threshold(input, self.threshold, self.value, bool(self.inplace))

    def extra_repr(self):
        text = f"threshold={self.threshold}, value={self.value}"
        return f"{text}, inplace=True" if self.inplace else text


class RReLU(_Activation):
    """leaky_relu whose slope is drawn in training."""

    _options = (("lower", 1.0 / 8), ("upper", 1.0 / 3), ("inplace", False))

    def forward(self, input):
        return functional.rrelu(input, self.lower, self.upper, self.training, self.inplace)


class PReLU(Module):
    """leaky_relu whose slope is a parameter, one or one for each channel."""

    def __init__(self, num_parameters=1, init=0.25, device=None, dtype=None):
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(_C.empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self):
        with no_grad():
            self.weight.fill_(self.init)

    def forward(self, input):
        return functional.prelu(input, self.weight)

    def extra_repr(self):
        return f"num_parameters={self.num_parameters}"


class Softmax2d(Module):
    """softmax over the channels of (N, C, H, W) or (C, H, W)."""

    def forward(self, input):
        if input.dim() not in (3, 4):
            raise ValueError(
                f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead"
            )
        return functional.softmax(input, -3)
