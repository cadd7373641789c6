"""The modules of opweave.nn, also by the names that they have there."""

import importlib


def __getattr__(name):
    nn = importlib.import_module("opweave.nn")
    found = vars(nn).get(name)
    if not (isinstance(found, type) and issubclass(found, nn.Module)):
        raise AttributeError(f"module 'opweave.nn.modules' has no attribute '{name}'")
    return found


def __dir__():
    nn = importlib.import_module("opweave.nn")
    modules = (n for n, v in vars(nn).items() if isinstance(v, type) and issubclass(v, nn.Module))
    return sorted({*globals(), *modules})
