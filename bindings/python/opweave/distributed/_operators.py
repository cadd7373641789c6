"""The collectives' operators of ops.yaml, each looked up once."""

from opweave import ops


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    operator = getattr(ops, name).default
    globals()[name] = operator
    return operator
