"""Layers that take the number of their inputs from the first one that they see."""

import itertools

from opweave import _C
from opweave._grad_mode import no_grad
from opweave.nn.modules.batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d, _BatchNorm
from opweave.nn.modules.conv import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
)
from opweave.nn.modules.instancenorm import (
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
    _InstanceNorm,
)
from opweave.nn.modules.linear import Linear
from opweave.nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin:
    """Before the class of a layer: its parameters get their sizes before the first call, by
    `initialize_parameters(*inputs)`, and the layer then becomes one of `cls_to_become`.
    """

    cls_to_become = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        # Methods, by PyTorch's names: files name them.
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(
            self._infer_parameters, with_kwargs=True
        )

    def _lazy_load_hook(self, state_dict, prefix, *_):
        _size_as_loaded(self, state_dict, prefix)

    def _infer_parameters(self, module, args, kwargs=None):
        _initialize(module, args, kwargs or {})

    def initialize_parameters(self, *args, **kwargs):
        """Gives the parameters sizes; of a subclass."""
        raise NotImplementedError(
            f"initialize_parameters is not implemented for {type(self).__name__}"
        )

    def has_uninitialized_params(self):
        """Whether there are parameters or buffers without a size."""
        return any(map(is_lazy, _own(self).values()))

    def reset_parameters(self):
        """Fills the parameters once they have sizes."""
        if not self.has_uninitialized_params() and self._has_inputs():
            super().reset_parameters()

    def _has_inputs(self):
        names = ("in_features", "in_channels", "num_features")
        return any(getattr(self, name, 0) for name in names)


def _own(module):
    """The parameters and buffers of a module, without those of its children."""
    both = itertools.chain(module._parameters.items(), module._buffers.items())
    return {name: tensor for name, tensor in both if tensor is not None}


def _size_as_loaded(module, state_dict, prefix, *_):
    for name, tensor in _own(module).items():
        value = state_dict.get(prefix + name)
        if is_lazy(tensor) and isinstance(value, _C.Tensor) and not is_lazy(value):
            with no_grad():
                tensor.materialize(value.shape)


def _initialize(module, args, kwargs):
    module.initialize_parameters(*args, **kwargs)
    if module.has_uninitialized_params():
        raise RuntimeError(f"module {module._get_name()} has not been fully initialized")
    module._initialize_hook.remove()
    module._load_hook.remove()
    del module._initialize_hook, module._load_hook
    if module.cls_to_become is not None:
        module.__class__ = module.cls_to_become


class LazyLinear(LazyModuleMixin, Linear):
    """Linear whose in_features are those of its first input."""

    cls_to_become = Linear

    def __init__(self, out_features, bias=True, device=None, dtype=None):
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def initialize_parameters(self, input):
        if self.has_uninitialized_params():
            if input.dim() == 0:
                raise ValueError("LazyLinear: expected an input of features, but got a number")
            with no_grad():
                self.in_features = input.shape[-1]
                self.weight.materialize((self.out_features, self.in_features))
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))
                self.reset_parameters()


def _channels(module, input, spatial):
    """Of an input with or without a batch."""
    if input.dim() not in (spatial + 1, spatial + 2):
        raise RuntimeError(
            f"Expected {spatial + 1}D (unbatched) or {spatial + 2}D (batched) input to "
            f"{type(module).__name__}, but got input of size: {input.shape}"
        )
    return input.shape[input.dim() - spatial - 1]


class _LazyConvXdMixin(LazyModuleMixin):
    def _begin(self, out_channels, bias, device, dtype):
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def initialize_parameters(self, input, *args, **kwargs):
        if not self.has_uninitialized_params():
            return
        self.in_channels = _channels(self, input, self._dims)
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        sizes = self.out_channels, self.in_channels // self.groups
        if self.transposed:
            sizes = self.in_channels, self.out_channels // self.groups
        with no_grad():
            self.weight.materialize((*sizes, *self.kernel_size))
            if self.bias is not None:
                self.bias.materialize((self.out_channels,))
            self.reset_parameters()


class _LazyConvForward(_LazyConvXdMixin):
    def __init__(
        self,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias=True,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode)
        self._begin(out_channels, bias, device, dtype)


class _LazyConvTranspose(_LazyConvXdMixin):
    def __init__(
        self,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups=1,
        bias=True,
        dilation=1,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        super().__init__(
            0,
            0,
            kernel_size,
            stride,
            padding,
            output_padding,
            groups,
            False,
            dilation,
            padding_mode,
        )
        self._begin(out_channels, bias, device, dtype)


class _LazyNormBase(LazyModuleMixin):
    def __init__(
        self,
        eps=1e-5,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        super().__init__(0, eps, momentum, False, False)
        self.affine, self.track_running_stats = affine, track_running_stats
        made = {"device": device, "dtype": dtype}
        if affine:
            self.weight = UninitializedParameter(**made)
            self.bias = UninitializedParameter(**made) if bias else None
        if track_running_stats:
            self.running_mean = UninitializedBuffer(**made)
            self.running_var = UninitializedBuffer(**made)
            self.num_batches_tracked = _C.tensor(0, dtype=_C.long, device=device)

    def initialize_parameters(self, input):
        if not self.has_uninitialized_params():
            return
        self.num_features = self._features(input)
        for tensor in _own(self).values():
            if is_lazy(tensor):
                tensor.materialize((self.num_features,))
        self.reset_parameters()

    def _features(self, input):
        if input.dim() < 2:
            raise ValueError(
                f"{type(self).__name__}: expected at least 2D input, of which the second dimension counts "
                f"features, but got {input.dim()}D"
            )
        return input.shape[1]


class _LazyInstanceNorm(_LazyNormBase):
    def _features(self, input):
        return _channels(self, input, self.cls_to_become._single - 1)


def _lazy(base, cls, *below):
    """The class that becomes `cls`; it derives from `below`, or from `cls` itself."""
    space = {
        "cls_to_become": cls,
        "__doc__": f"{cls.__name__} whose number of inputs is that of its first input.",
        "__module__": __name__,
    }
    __all__.append(f"Lazy{cls.__name__}")
    return type(f"Lazy{cls.__name__}", (base, *(below or [cls])), space)


LazyConv1d, LazyConv2d, LazyConv3d = (_lazy(_LazyConvForward, c) for c in (Conv1d, Conv2d, Conv3d))
LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d = (
    _lazy(_LazyConvTranspose, c) for c in (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)
)
LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d = (
    _lazy(_LazyNormBase, c, _BatchNorm) for c in (BatchNorm1d, BatchNorm2d, BatchNorm3d)
)
LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d = (
    _lazy(_LazyInstanceNorm, c, _InstanceNorm)
    for c in (InstanceNorm1d, InstanceNorm2d, InstanceNorm3d)
)
__all__ += ["LazyLinear"]
