"""Helpers around tensors; `data` is imported when it is first used."""

_MODULES = (
    *("benchmark", "checkpoint", "data", "deterministic", "dlpack", "hooks", "model_zoo"),
    "safetensors",
    "tensorboard",
)


def __getattr__(name):
    if name in _MODULES:
        import importlib

        return importlib.import_module(f"opweave.utils.{name}")
    raise AttributeError(f"module 'opweave.utils' has no attribute '{name}'")
