"""Helpers around tensors; `data` is imported when it is first used."""


def __getattr__(name):
    if name in ("checkpoint", "data", "dlpack", "hooks", "safetensors"):
        import importlib

        return importlib.import_module(f"opweave.utils.{name}")
    raise AttributeError(f"module 'opweave.utils' has no attribute '{name}'")
