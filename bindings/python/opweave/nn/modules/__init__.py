"""The modules of opweave.nn, also by the names that they have there."""

import importlib


def _classes_of(nn):
    return [n for n, v in vars(nn).items() if isinstance(v, type) and issubclass(v, nn.Module)]


def __getattr__(name):
    nn = importlib.import_module("opweave.nn")
    if name == "__all__":
        return sorted(_classes_of(nn))
    found = vars(nn).get(name)
    if not (isinstance(found, type) and issubclass(found, nn.Module)):
        raise AttributeError(f"module 'opweave.nn.modules' has no attribute '{name}'")
    return found


def __dir__():
    nn = importlib.import_module("opweave.nn")
    return sorted({*globals(), *_classes_of(nn)})
