"""opweave_sources: what the generator emits for one operator library, as declared outputs."""

load(":outputs.bzl", "OUTPUTS")

# Pointwise kernels of the CPU are compiled once per instruction set: more files, each of a few seconds.
CPU_SHARDS = 32

# Of a selection, in which few files have anything.
_SHARDS_OF_FEW = 2
_CPU_SHARDS_OF_FEW = 4

# Which operators a build has: `--//:selection=//package:file.yaml`; all if it is not given.
_SELECTION = "//:selection"
_EVERYTHING = "tools/codegen/everything.yaml"
_KERNEL_CALLS = "//:kernels/calls.txt"

def _shards(row, count):
    """The files of a sharded output."""
    return [row["path"].replace("{shard}", ("0" if i < 10 else "") + str(i)) for i in range(count)]

def _for_target(row, target):
    return dict(row, path = row["path"].replace("{target}", target))

def _has_own_line(target):
    """Of meta, whose pointwise kernels are no loops."""
    return [row for row in OUTPUTS if row["library"] == target]

def kernel_sources(target, shards = 16):
    """The pointwise kernels that are generated for a hardware target."""
    rows = [_for_target(row, target) for row in OUTPUTS if row["split"] == "target_shards"]
    return [file for row in rows for file in _shards(row, shards)]

def target_sources(target, shards = 16):
    """The C++ files that are generated for a target: its pointwise kernels, and what registers all of its kernels."""
    own = [file for row in _has_own_line(target) for file in _shards(row, shards)]
    rows = [_for_target(row, target) for row in OUTPUTS if row["split"] == "targets"]
    return (own or kernel_sources(target, shards)) + [row["path"] for row in rows]

def library_sources(library, shards = 16):
    """The C++ files of a library of //generated that serves every target."""
    rows = [row for row in OUTPUTS if row["library"] == library]
    return [file for row in rows for file in (_shards(row, shards) if row["split"] == "shards" else [row["path"]])]

def library_uses(library):
    """What of the checkout a library of //generated is compiled with, as labels."""
    uses = [use for row in OUTPUTS if row["library"] == library for use in row["uses"]]
    return ["//" + use for use in uses]

def registered_libraries():
    """The libraries of //generated whose functions `register_opweave()` calls."""
    return {row["library"]: True for row in OUTPUTS if row["registrar"] == "library"}.keys()

def registration_sources(targets, without = []):
    """The C++ files of an operator library of one shard, but the pointwise kernels of hardware targets.

    Args:
      targets: hardware targets.
      without: libraries of //generated that it does without.

    Returns:
      file names.
    """
    libraries = {row["library"]: True for row in OUTPUTS if row["library"] not in ["", "{target}", "meta"] + without}
    sources = [file for library in sorted(libraries) for file in library_sources(library, shards = 1)]
    registers = [file for target in targets for file in target_sources(target, 1) if file not in kernel_sources(target, 1)]
    return sources + registers + target_sources("meta", 1)

def plain_outputs(split):
    """The outputs of one file that are not compiled: `own` ones only Opweave itself has, `once` every library."""
    return [row["path"] for row in OUTPUTS if row["split"] == split and not row["library"]]

def operator_headers(operators, kernels):
    """The headers of operators, and of their handwritten kernels.

    Args:
      operators: base names.
      kernels: base names by target.

    Returns:
      file names.
    """
    headers = []
    for row in OUTPUTS:
        if row["split"] == "operators":
            headers += [row["path"].replace("{name}", op) for op in operators]
        elif row["split"] == "kernels":
            for target, names in kernels.items():
                headers += [_for_target(row, target)["path"].replace("{name}", op) for op in names]
    return headers

# A selection is in few files, each of which reads the headers once; the others, which Bazel expects all the
# same, are empty. Of everything no file may lack.
_SHARDS_OF_SELECTION = """
if [ "$(location %s)" = %s ]; then shards="--kernel-shards %d"; else shards="--shards %d --kernel-shards %d"; fi
""" % (_SELECTION, _EVERYTHING, CPU_SHARDS, _SHARDS_OF_FEW, _CPU_SHARDS_OF_FEW)
_FILL_SHARDS = """
if [ "$(location %s)" != %s ]; then
  for file in $(OUTS); do
    case "$$file" in
      *_[0-9][0-9].cc) [ -e "$$file" ] || echo "// Empty: a selection is in the first of these files." > "$$file" ;;
    esac
  done
fi
""" % (_SELECTION, _EVERYTHING)

def opweave_sources(name, ops, derivatives, operators, kernels, targets, visibility = None):
    """Runs `opweave gen`.

    Args:
      name: of the rule that makes all outputs.
      ops: YAML files of operators.
      derivatives: YAML files of gradients.
      operators: base names of the operators in `ops`.
      kernels: those with handwritten kernels, by target.
      targets: hardware targets to generate kernels for, with their files; `meta` always is.
      visibility: of the outputs.
    """
    headers = operator_headers(operators, kernels)
    sources = plain_outputs("own") + plain_outputs("once")
    for library in {row["library"]: True for row in OUTPUTS if row["library"] not in ["", "{target}", "meta"]}:
        sources += library_sources(library)
    for target in targets:
        sources += target_sources(target, CPU_SHARDS)
    sources += target_sources("meta")
    native.genrule(
        name = name,
        srcs = ops + derivatives + targets.values() + [_SELECTION, _KERNEL_CALLS],
        outs = headers + sources,
        tools = ["//codegen/cli:gen"],
        message = "Generating operators",
        cmd = _SHARDS_OF_SELECTION + " ".join(
            ["$(location //codegen/cli:gen) gen --rules-required --out $(RULEDIR) $$shards"] +
            ["--select $(location %s) --kernel-calls $(location %s)" % (_SELECTION, _KERNEL_CALLS)] +
            ["--ops $(location %s)" % f for f in ops] +
            ["--derivatives $(location %s)" % f for f in derivatives] +
            ["--target $(location %s)" % file for file in targets.values()],
        ) + select({
            "//tools/codegen:mutants": " --mutants",
            "//conditions:default": "",
        }) + _FILL_SHARDS,
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
        outs = target_sources(target) + [
            _for_target(row, target)["path"]
            for row in OUTPUTS
            if row["split"] == "target_package"
        ],
        tools = ["//codegen/cli:gen"],
        message = "Generating kernels for %s" % target,
        cmd = " ".join(
            ["$(location //codegen/cli:gen) gen --out $(RULEDIR)"] +
            ["--target-file $(location %s)" % target_file] +
            ["--ops $(location %s)" % f for f in ops] +
            ["--derivatives $(location %s)" % f for f in derivatives],
        ),
        visibility = visibility,
    )
