"""@operators: the base names of the operators of ops.yaml, for declaring one header each.

Bazel has to know output files before it runs the generator. This reads nothing but the names, and runs
again when the file changes; everything about the operators themselves is the generator's business.
"""

def _base_name(line):
    """`- func: add.Tensor(Tensor self, ...` -> `add`; None for any other line."""
    text = line.strip()
    if not text.startswith("- func:"):
        return None
    signature = text[len("- func:"):].strip().lstrip("\"'")
    return signature.split("(")[0].split(".")[0]

def _impl(ctx):
    content = ctx.read(ctx.attr.ops)
    names = {}
    for line in content.split("\n"):
        name = _base_name(line)
        if name:
            names[name] = True

    ctx.file("BUILD", "")
    ctx.file("operators.bzl", "OPERATORS = %s\n" % repr(sorted(names.keys())))

operator_names = repository_rule(
    implementation = _impl,
    attrs = {"ops": attr.label(allow_single_file = True, mandatory = True)},
)
