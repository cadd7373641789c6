"""How modules take converted and loaded parameters: settings, after torch.__future__."""

from __future__ import annotations

_settings = {"overwrite": False, "swap": False}


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Whether Module.to() and its kin make new parameters, and leave those that others hold as they are."""
    _settings["overwrite"] = value


def get_overwrite_module_params_on_conversion() -> bool:
    """What set_overwrite_module_params_on_conversion() was told."""
    return _settings["overwrite"]


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Whether Module.to() and its kin, and load_state_dict(), swap parameters with what takes their place
    (utils.swap_tensors), so that those that others hold change their class as well; load_state_dict() then
    calls Tensor.module_load()."""
    _settings["swap"] = value


def get_swap_module_params_on_conversion() -> bool:
    """What set_swap_module_params_on_conversion() was told."""
    return _settings["swap"]
