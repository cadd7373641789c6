"""Engines of quantized operators, of which there are none."""

from opweave.backends._settings import Fixed, Setting, make_module

_settings = {
    "engine": Setting("none", known=("none",), kind=str),
    "supported_engines": Fixed(["none"], "there are no other engines"),
}

make_module(__name__)
