"""The version of this checkout, of the Python package and of its wheel."""

VERSION = "0.1.0"
