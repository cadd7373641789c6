"""opweave_library: an operator library of its own, from YAML files, as a Python extension module."""

load("//kernels/cpu/pointwise:options.bzl", "POINTWISE_COPTS")
load("//tools:cc.bzl", "ow_cc_extension", "ow_cc_library")
load("//tools/codegen:generated.bzl", "kernel_sources", "operator_headers", "plain_outputs", "registration_sources")
load("//tools/link:checked.bzl", "checked_library")

def _sources():
    """The generated files of a library, of one shard each, by what they need to compile."""
    return struct(
        registration = registration_sources(["cpu"]),
        kernels = kernel_sources("cpu", 1),
    )

def opweave_library(name, ops, operators, kernels = {}, derivatives = [], srcs = [], deps = [], visibility = None):
    """`import <name>` in Python, after `import opweave`, adds the operators.

    Args:
      name: of the library and of the module.
      ops: YAML files of its operators. They may use Opweave's own.
      operators: their base names, from an operator_names() repository.
      kernels: those with handwritten kernels, by target, from the same repository.
      derivatives: YAML files of gradients; operators with an `expr` need none.
      srcs: handwritten kernels, if there are any.
      deps: what those need.
      visibility: of the module.
    """
    sources = _sources()
    headers = operator_headers(operators, kernels)
    native.genrule(
        name = name + "_sources",
        srcs = ops + derivatives + ["//:ops.yaml"],
        outs = headers + sources.registration + sources.kernels + plain_outputs("once"),
        tools = ["//codegen/cli:opweave"],
        message = "Generating %s" % name,
        cmd = " ".join(
            ["$(location //codegen/cli:opweave) gen --out $(RULEDIR) --library %s --shards 1" % name] +
            ["--import-ops $(location //:ops.yaml)"] +
            ["--ops $(location %s)" % f for f in ops] +
            ["--derivatives $(location %s)" % f for f in derivatives],
        ),
    )
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
    ow_cc_extension(
        name = name + ".linked.so",
        srcs = srcs + sources.registration + sources.kernels + [
            "//bindings/native:libopweave.so",
            "//bindings/python:_C.so",
        ],
        copts = POINTWISE_COPTS,
        deps = deps + [":%s_headers" % name],
    )
    checked_library(
        name = name + ".so",
        against = [
            "//bindings/native:libopweave.so",
            "//bindings/python:_C.so",
        ],
        headers = [header for header in headers if header.startswith("opweave/kernels/")],
        linked = name + ".linked.so",
        sources = srcs,
        visibility = visibility,
    )
    native.py_library(
        name = name,
        # What was linked brings the libraries that it needs.
        data = [
            ":%s.linked.so" % name,
            ":%s.so" % name,
        ],
        imports = ["."],
        visibility = visibility,
        deps = ["//bindings/python:opweave"],
    )
