"""Helpers around tensors; `data` is imported when it is first used."""

_MODULES = (
    *("backend_registration", "benchmark", "checkpoint", "collect_env", "cpp_extension", "data"),
    *(
        "deterministic",
        "dlpack",
        "flop_counter",
        "hooks",
        "model_zoo",
        "module_tracker",
        "safetensors",
    ),
    *("tensorboard", "weak"),
)
# Functions of modules that few programs need.
_ELSEWHERE = {
    "swap_tensors": "_swapping",
    "generate_methods_for_privateuse1_backend": "backend_registration",
    "rename_privateuse1_backend": "backend_registration",
}


def set_module(obj, mod):
    """Has an object say that a module defines it.

    Raises:
        TypeError: no name of a module.
    """
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod


def __getattr__(name):
    if name in _MODULES:
        import importlib

        return importlib.import_module(f"opweave.utils.{name}")
    if name in _ELSEWHERE:
        import importlib

        return getattr(importlib.import_module(f"opweave.utils.{_ELSEWHERE[name]}"), name)
    raise AttributeError(f"module 'opweave.utils' has no attribute '{name}'")
