"""What goes wrong when an operator library is built."""


class BuildError(Exception):
    """The library could not be built; the text is what a user reads."""
