"""opweave_library: an operator library of its own, from YAML files, as a Python extension module."""

load("//kernels/cpu/pointwise:options.bzl", "POINTWISE_COPTS")
load("//tools:cc.bzl", "ow_cc_extension", "ow_cc_library")
load("//tools/codegen:generated.bzl", "kernel_sources", "operator_headers", "plain_outputs", "registration_sources")
load("//tools/codegen:library_parts.bzl", "library_part", "package_of_parts", "part_files", "part_sources")
load("//tools/link:checked.bzl", "checked_library")

# Folders of kernels that are compiled into the module itself.
_OWN = ["cpu", "composite"]
_CORE = [
    "//bindings/native:libopweave.so",
    "//bindings/python:_C.so",
]

def _sources():
    """The generated files of a library, of one shard each, by what they need to compile."""
    return struct(
        registration = registration_sources(["cpu"]),
        kernels = kernel_sources("cpu", 1),
    )

def _generate(name, ops, derivatives, kernels, targets, outs):
    """Runs `opweave gen`: entries may name every target, kernels are printed for those of `targets`."""
    known = {target: True for target in ["cpu"] + targets.keys() + kernels.keys()}
    native.genrule(
        name = name + "_sources",
        srcs = ops + derivatives + ["//:ops.yaml"],
        outs = outs,
        tools = ["//codegen/cli:gen"],
        message = "Generating %s" % name,
        cmd = " ".join(
            ["$(location //codegen/cli:gen) gen --out $(RULEDIR) --library %s --shards 1" % name] +
            ["--import-ops $(location //:ops.yaml)"] +
            ["--ops $(location %s)" % f for f in ops] +
            ["--derivatives $(location %s)" % f for f in derivatives] +
            ["--target %s" % target for target in ["cpu"] + targets.keys()] +
            ["--known-target %s" % target for target in known if target != "composite"],
        ),
    )

def _extension(name, srcs, sources, headers, deps, visibility):
    """The module's shared library, linked and looked through for missing kernels."""

    # Functions and tables of other libraries have the same names.
    native.genrule(
        name = name + "_exports",
        outs = [name + ".lds"],
        cmd = "echo '%s { global: *; };' > $@" % name,
    )
    ow_cc_extension(
        name = name + ".linked.so",
        srcs = srcs + sources.registration + sources.kernels + _CORE,
        copts = POINTWISE_COPTS,
        # Parts find the library that is loaded by this name.
        linkopts = [
            "-Wl,-soname,%s.so" % name,
            "-Wl,--version-script=$(location %s.lds)" % name,
        ],
        # First: files of the core have the same names.
        deps = [":%s_headers" % name] + deps + [name + ".lds"],
    )
    checked_library(
        name = name + ".so",
        against = _CORE,
        headers = headers,
        linked = name + ".linked.so",
        sources = srcs,
        visibility = visibility,
    )

def opweave_library(name, ops, operators, kernels = {}, derivatives = [], srcs = [], deps = [], targets = {}, python = "//bindings/python:opweave", visibility = None):
    """`import <name>` in Python, after `import opweave`, adds the operators.

    Args:
      name: of the library and of the module.
      ops: YAML files of its operators. They may use Opweave's own.
      operators: their base names, from an operator_names() repository.
      kernels: those with handwritten kernels, by target, from the same repository.
      derivatives: YAML files of gradients; operators with an `expr` need none.
      srcs: handwritten kernels for the CPU, if there are any.
      deps: what those need.
      targets: the hardware that it is built for besides the CPU: target_kernels() of each, by the target's name.
        Each becomes a shared library beside the module, which is loaded when the target is. Without one of them
        the operators have no kernels there, and say so when they are called.
      python: the package that comes with it; less than all where programs need less.
      visibility: of the module.
    """
    sources = _sources()
    built = {folder: names for folder, names in kernels.items() if folder in _OWN or folder in targets}
    headers = operator_headers(operators, built)
    outs = headers + sources.registration + sources.kernels + plain_outputs("once")
    parts = [file for target in targets for file in part_sources(target).all]
    _generate(name, ops, derivatives, kernels, targets, outs + parts)
    ow_cc_library(
        name = name + "_headers",
        hdrs = headers,
        includes = ["."],
        textual_hdrs = sources.kernels,
        deps = [
            "//bindings/native:library_headers",
            "//bindings/python/core:headers",
        ],
    )
    kernel_headers = {t: [h for h in headers if h.startswith("opweave/kernels/%s/" % t)] for t in _OWN + targets.keys()}
    own_headers = [header for folder in _OWN for header in kernel_headers[folder]]
    _extension(name, srcs, sources, own_headers, deps, visibility)
    for target, part in targets.items():
        library_part(name, target, part, headers = kernel_headers[target], visibility = visibility)

    # The types of the module's functions.
    stub = name + "/__init__.pyi" if targets else name + ".pyi"
    native.genrule(
        name = name + "_stub",
        srcs = ["opweave/_generated.pyi"],
        outs = [stub],
        cmd = "cp $< $@",
    )
    native.py_library(
        name = name,
        srcs = [package_of_parts(name, targets)] if targets else [],
        # What was linked brings the libraries that it needs.
        data = [
            stub,
            ":%s.linked.so" % name,
            ":%s.so" % name,
        ] + part_files(name, targets),
        imports = ["."],
        visibility = visibility,
        deps = [python],
    )
