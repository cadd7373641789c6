"""@operators: the base names of the operators of ops.yaml, and those with handwritten kernels by target.

Bazel has to know output files before it runs the generator: one header per name. This reads nothing but
names, and runs again when the file changes; everything about the operators themselves is the generator's
business.
"""

# Where kernels lie that have another name in `kernels` than their folder: see
# codegen/model/declarations/kernel_words.h. None: nothing is handwritten.
_FOLDERS = {"every_target": "composite", "native": None, "view": None}

def _field(line, key):
    """The text of `key: text`, without quotes; None for any other line."""
    text = line.strip()
    return text[len(key):].strip().lstrip("\"'") if text.startswith(key) else None

def _add(lists, key, name):
    names = lists.setdefault(key, {})
    names[name] = True

def _base(name):
    """`add` of `add.Tensor`."""
    return name.split(".")[0]

def _add_target(ctx, file, kernels):
    """Those that a target's file names, an item a line, are in the folder of its name."""
    target = None
    for line in ctx.read(file).split("\n"):
        target = _field(line, "name:") or target
        name = _field(line, "- ")
        if name:
            _add(kernels, target, _base(name))

def _impl(ctx):
    content = ctx.read(ctx.attr.ops)
    operators, kernels, name = {}, {}, None
    for line in content.split("\n"):
        func = _field(line, "- func:")
        if func:
            # `- func: add.Tensor(Tensor self, ...` -> `add`
            name = _base(func.split("(")[0])
            operators[name] = True
        targets = _field(line, "kernels:")
        for target in (targets or "").strip("[]").split(","):
            target = target.strip()
            folder = _FOLDERS.get(target, target)
            if folder:
                _add(kernels, folder, name)
    for file in ctx.attr.targets:
        _add_target(ctx, file, kernels)

    ctx.file("BUILD", "")
    ctx.file("operators.bzl", "OPERATORS = %s\nKERNELS = %s\n" % (
        repr(sorted(operators.keys())),
        repr({target: sorted(names.keys()) for target, names in kernels.items()}),
    ))

operator_names = repository_rule(
    implementation = _impl,
    attrs = {
        "ops": attr.label(allow_single_file = True, mandatory = True),
        "targets": attr.label_list(allow_files = True, doc = "those that are built in with the operators"),
    },
)
