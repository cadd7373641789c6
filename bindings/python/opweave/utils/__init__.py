"""Helpers around tensors; `data` is imported when it is first used."""


def __getattr__(name):
    if name in ("checkpoint", "data", "dlpack", "hooks", "model_zoo", "safetensors", "tensorboard"):
        import importlib

        return importlib.import_module(f"opweave.utils.{name}")
    raise AttributeError(f"module 'opweave.utils' has no attribute '{name}'")
