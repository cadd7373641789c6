"""XNNPACK, which no kernel uses: `enabled` is False."""

from opweave.backends._settings import Fixed, make_module

__all__ = []

_settings = {"enabled": Fixed(False, "nothing uses XNNPACK")}

make_module(__name__)
