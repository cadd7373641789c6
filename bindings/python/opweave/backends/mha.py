"""The fast path of nn.MultiheadAttention in inference: a permission, which nothing makes use of."""

__all__ = ["get_fastpath_enabled", "set_fastpath_enabled"]

_permission = {"value": True}


def get_fastpath_enabled():
    """What set_fastpath_enabled() was told."""
    return _permission["value"]


def set_fastpath_enabled(value):
    """Whether the fast path may be used; layers are computed one way whatever it is."""
    _permission["value"] = value
