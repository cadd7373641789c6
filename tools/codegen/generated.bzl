"""opweave_sources: what the generator emits for one operator library, as declared outputs."""

_SHARDS = ["_%s" % ("0%d" % i if i < 10 else str(i)) for i in range(16)]

def sharded(prefix, extension = ".cc"):
    """The files of one sharded output."""
    return [prefix + shard + extension for shard in _SHARDS]

def target_sources(target):
    """The C++ files that are generated for a hardware target."""
    return sharded("opweave/%s/pointwise" % target) + ["opweave/%s/register.cc" % target]

def opweave_sources(name, ops, derivatives, operators, targets, visibility = None):
    """Runs `opweave gen`.

    Args:
      name: of the rule that makes all outputs.
      ops: YAML files of operators.
      derivatives: YAML files of gradients.
      operators: base names of the operators in `ops`.
      targets: hardware targets to generate kernels for; `meta` always is.
      visibility: of the outputs.
    """
    headers = ["opweave/ops/%s.h" % op for op in operators]
    headers += ["opweave/kernels/%s.h" % t for t in targets + ["composite", "meta"]]
    headers.append("opweave/ow.h")
    sources = sharded("opweave/dispatch/operators") + sharded("opweave/composite/composites")
    sources += sharded("opweave/autograd/autograd")
    sources += sharded("opweave/python/bindings") + ["opweave/python/register.cc"]
    sources += ["opweave/pointwise/specs.cc", "opweave/register.cc", "opweave/_generated.pyi"]
    sources.append("opweave/tests/operators.py")
    for target in targets + ["meta"]:
        sources += target_sources(target)
    native.genrule(
        name = name,
        srcs = ops + derivatives,
        outs = headers + sources,
        tools = ["//codegen/cli:opweave"],
        message = "Generating operators",
        cmd = " ".join(
            ["$(location //codegen/cli:opweave) gen --out $(RULEDIR)"] +
            ["--ops $(location %s)" % f for f in ops] +
            ["--derivatives $(location %s)" % f for f in derivatives] +
            ["--target %s" % t for t in targets],
        ),
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
