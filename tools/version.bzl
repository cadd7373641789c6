"""The version of this checkout, of the Python package and of its wheel."""

VERSION = "0.1.0"

def version_module(name, out):
    """A Python file with `__version__`."""
    native.genrule(
        name = name,
        outs = [out],
        cmd = "echo '__version__ = \"%s\"' > $@" % VERSION,
    )
