"""Files that packages for other frameworks carry, as text of the generator."""

def support_literals(srcs):
    """Makes support.inc: the name of each file, and what is in it, as elements of an array of C++.

    Args:
        srcs: the files.
    """
    native.genrule(
        name = "support_literals",
        srcs = srcs,
        outs = ["support.inc"],
        cmd = "for f in $(SRCS); do printf '{\"%s\", R\"support(' $$(basename $$f); cat $$f; printf ')support\"},\\n'; done > $@",
    )
