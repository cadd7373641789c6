"""opweave.cuda.amp, opweave.cpu.amp: PyTorch's older names, which name the kind of device themselves."""

import sys
import types
import warnings

from opweave.amp import _settings, autocast_mode, grad_scaler


def _deprecated(kind, name, new=None):
    new = new or f"{name}('{kind}', args...)"
    warnings.warn(
        f"`opweave.{kind}.amp.{name}(args...)` is deprecated. Please use `opweave.amp.{new}` instead.",
        FutureWarning,
        stacklevel=3,
    )


def _autocast(kind, default):
    class autocast(autocast_mode.autocast):  # noqa: N801 - PyTorch's name
        """opweave.amp.autocast of this kind of device."""

        def __init__(self, enabled=True, dtype=default, cache_enabled=True):
            _deprecated(kind, "autocast")
            super().__init__(kind, enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)

    return autocast


def _grad_scaler(kind):
    class GradScaler(grad_scaler.GradScaler):
        """opweave.amp.GradScaler of this kind of device."""

        def __init__(
            self,
            init_scale=2.0**16,
            growth_factor=2.0,
            backoff_factor=0.5,
            growth_interval=2000,
            enabled=True,
        ):
            _deprecated(kind, "GradScaler")
            super().__init__(
                kind, init_scale, growth_factor, backoff_factor, growth_interval, enabled
            )

    return GradScaler


def _decorators(kind):
    def custom_fwd(fwd=None, *, cast_inputs=None):
        """opweave.amp.custom_fwd for this kind of device."""
        _deprecated(kind, "custom_fwd", f"custom_fwd(args..., device_type='{kind}')")
        return autocast_mode.custom_fwd(fwd, device_type=kind, cast_inputs=cast_inputs)

    def custom_bwd(bwd=None):
        """opweave.amp.custom_bwd for this kind of device."""
        _deprecated(kind, "custom_bwd", f"custom_bwd(args..., device_type='{kind}')")
        return autocast_mode.custom_bwd(bwd, device_type=kind)

    return custom_fwd, custom_bwd


def module(kind):
    """The module `amp` of a kind of device, which `import` finds as well."""
    made = types.ModuleType(f"opweave.{kind}.amp", f"opweave.amp for devices of type '{kind}'.")
    made.autocast = _autocast(kind, _settings.get_autocast_dtype(kind))
    made.GradScaler = _grad_scaler(kind)
    made.custom_fwd, made.custom_bwd = _decorators(kind)
    made.__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]
    for value in vars(made).values():
        if isinstance(value, type):
            value.__module__ = made.__name__
    made.__path__ = []
    _add_module(made, "autocast_mode", ["autocast", "custom_fwd", "custom_bwd"])
    _add_module(made, "grad_scaler", ["GradScaler"])
    sys.modules[made.__name__] = made
    return made


def _add_module(amp, name, names):
    """A module below it with some of its names: files of PyTorch, from which programs import them."""
    below = types.ModuleType(f"{amp.__name__}.{name}")
    below.__dict__.update({n: getattr(amp, n) for n in names}, __all__=names)
    setattr(amp, name, below)
    sys.modules[below.__name__] = below
