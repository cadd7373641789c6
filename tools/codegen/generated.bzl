"""opweave_sources: what the generator emits for one operator library, as declared outputs."""

# Pointwise kernels of the CPU are compiled once per instruction set: more files, each of a few seconds.
CPU_SHARDS = 32

# Which operators a build has: `--//:selection=//package:file.yaml`; all if it is not given.
_SELECTION = "//:selection"
_KERNEL_CALLS = "//:kernels/calls.txt"

def sharded(prefix, shards = 16):
    """The files of one sharded output."""
    return [prefix + "_%s%d.cc" % ("0" if i < 10 else "", i) for i in range(shards)]

def target_sources(target, shards = 16):
    """The C++ files that are generated for a hardware target."""
    return sharded("opweave/%s/pointwise" % target, shards) + ["opweave/%s/register.cc" % target]

def operator_headers(operators, kernels):
    """The headers of operators, and of their handwritten kernels.

    Args:
      operators: base names.
      kernels: base names by target.

    Returns:
      file names.
    """
    headers = ["opweave/ops/%s.h" % op for op in operators]
    for target, names in kernels.items():
        headers += ["opweave/kernels/%s/%s.h" % (target, op) for op in names]
    return headers

def opweave_sources(name, ops, derivatives, operators, kernels, targets, visibility = None):
    """Runs `opweave gen`.

    Args:
      name: of the rule that makes all outputs.
      ops: YAML files of operators.
      derivatives: YAML files of gradients.
      operators: base names of the operators in `ops`.
      kernels: those with handwritten kernels, by target.
      targets: hardware targets to generate kernels for; `meta` always is.
      visibility: of the outputs.
    """
    headers = operator_headers(operators, kernels) + ["opweave/ow.h"]
    sources = sharded("opweave/dispatch/operators") + sharded("opweave/composite/composites")
    sources += sharded("opweave/autograd/autograd")
    sources += sharded("opweave/python/bindings") + ["opweave/python/register.cc"]
    sources += sharded("opweave/batching/rules") + sharded("opweave/forward/rules")
    sources += ["opweave/register.cc", "opweave/_generated.pyi"]
    sources += ["opweave/tests/operators.py", "opweave/entries.txt"]
    for target in targets:
        sources += target_sources(target, CPU_SHARDS)
    sources += target_sources("meta")
    native.genrule(
        name = name,
        srcs = ops + derivatives + [_SELECTION, _KERNEL_CALLS],
        outs = headers + sources,
        tools = ["//codegen/cli:opweave"],
        message = "Generating operators",
        cmd = " ".join(
            ["$(location //codegen/cli:opweave) gen --out $(RULEDIR) --kernel-shards %d" % CPU_SHARDS] +
            ["--select $(location %s) --kernel-calls $(location %s)" % (_SELECTION, _KERNEL_CALLS)] +
            ["--ops $(location %s)" % f for f in ops] +
            ["--derivatives $(location %s)" % f for f in derivatives] +
            ["--target %s" % t for t in targets],
        ) + select({
            "//tools/codegen:mutants": " --mutants",
            "//conditions:default": "",
        }),
        visibility = visibility,
    )

def opweave_target_sources(name, ops, derivatives, target, target_file, visibility = None):
    """Runs `opweave gen` for one more hardware target: its kernels and their declarations, nothing else.

    Args:
      name: of the rule that makes all outputs.
      ops: YAML files of operators.
      derivatives: YAML files of gradients.
      target: the name in `target_file`.
      target_file: the target's YAML file.
      visibility: of the outputs.
    """
    native.genrule(
        name = name,
        srcs = ops + derivatives + [target_file],
        outs = target_sources(target) + ["opweave/kernels/%s.h" % target],
        tools = ["//codegen/cli:opweave"],
        message = "Generating kernels for %s" % target,
        cmd = " ".join(
            ["$(location //codegen/cli:opweave) gen --out $(RULEDIR)"] +
            ["--target-file $(location %s)" % target_file] +
            ["--ops $(location %s)" % f for f in ops] +
            ["--derivatives $(location %s)" % f for f in derivatives],
        ),
        visibility = visibility,
    )
