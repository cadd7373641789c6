"""XNNPACK, which no kernel uses: `enabled` is False."""

from opweave.backends._settings import Setting, make_module

__all__ = []

_settings = {
    "enabled": Setting(
        False, dict.fromkeys((False, True), "Assignment not supported, nothing uses XNNPACK")
    )
}

make_module(__name__)
