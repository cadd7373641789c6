"""checked_library: a shared library that calls no function of Opweave that is nowhere defined."""

def checked_library(name, linked, against = [], sources = [], headers = [], part = False, visibility = None):
    """Copies `linked`, or fails and says which operator has no kernel for which target.

    Args:
      name: of the copy; it lies beside what was linked, so that both find the same libraries.
      linked: the shared library as the linker made it.
      against: those that it is loaded with.
      sources: files in which its kernels are, to be named in messages.
      headers: generated ones, which the sources of kernels have to include.
      part: whether it is an operator library's for a target, whose own library has functions that it calls.
      visibility: of the copy.
    """
    tool = "//bindings/python:opweave/build/missing_kernels.py"
    native.genrule(
        name = name + "_checked",
        srcs = [linked] + against + sources + headers,
        outs = [name],
        tools = [tool],
        message = "Looking for missing kernels in %s" % name,
        cmd = " ".join(
            ["/usr/bin/python3 $(location %s) $(location %s) $@" % (tool, linked)] +
            ["--against $(location %s)" % library for library in against] +
            ["--sources $(location %s)" % file for file in sources] +
            ["--headers $(location %s)" % file for file in headers] +
            (["--part"] if part else []),
        ),
        visibility = visibility,
    )
