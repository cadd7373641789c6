"""Engines of quantized operators, of which there are none."""

from opweave.backends._settings import Setting, make_module

_settings = {"engine": Setting("none", known=("none",), kind=str)}
supported_engines = ["none"]

make_module(__name__)
