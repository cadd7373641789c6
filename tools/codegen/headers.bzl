"""One library per generated header."""

def _base(name, names):
    """The operator whose header holds the declarations: an in-place form lives with its functional one."""
    base = name[:-1]
    return [":ops/" + base] if name.endswith("_") and base in names else []

def operator_header_libraries(operators, visibility, deps):
    """`ops/<name>` for every operator.

    Args:
      operators: base names.
      visibility: of the libraries.
      deps: what each of them needs, and what defines the operators.
    """
    names = {name: True for name in operators}
    for name in operators:
        native.cc_library(
            name = "ops/" + name,
            hdrs = ["opweave/ops/%s.h" % name],
            includes = ["."],
            visibility = visibility,
            deps = deps + _base(name, names),
        )

def kernel_header_libraries(kernels, visibility, deps):
    """`kernels/<target>/<name>` for every handwritten kernel.

    Args:
      kernels: base names by target.
      visibility: of the libraries.
      deps: what each header needs.
    """
    for target, names in kernels.items():
        for name in names:
            native.cc_library(
                name = "kernels/%s/%s" % (target, name),
                hdrs = ["opweave/kernels/%s/%s.h" % (target, name)],
                includes = ["."],
                visibility = visibility,
                deps = deps,
            )
