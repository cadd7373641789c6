"""The layers: what each package may use.

The visibility of the packages follows from this list, and //tests/layers compares it with the #include lines
and the BUILD files: it fails where one uses what is not listed, and where a line is no longer needed.

Lowest first; a package uses what stands before it:
dtypes ← core ← dispatch ← autograd ← generated operators ← functionalities, composite kernels ← bindings;
dtypes ← codegen.
"""

# A package stands for those below it, too. `generated` is two: the operators, which everything above autograd
# calls, and the registration of everything that is generated for them.
LAYERS = {
    # The tables that the runtime and the generator share, and rules about sizes, as templates over the number.
    "dtypes": [],
    "rules": [],
    # The language of schemas, which they have in common as well.
    "schema": [],
    "runtime/core": ["dtypes"],
    "runtime/settings": ["runtime/core"],
    "runtime/target": ["runtime/core"],
    "runtime/distributed/group": ["runtime/core"],
    "runtime/distributed/store": ["runtime/core"],
    "runtime/distributed/watch": [
        "runtime/core",
        "runtime/distributed/group",
        "runtime/distributed/store",
    ],
    "runtime/rules": ["rules", "runtime/core"],
    "runtime/pointwise": ["dtypes", "runtime/core", "runtime/rules"],
    "runtime/dispatch": ["runtime/core", "schema"],
    "runtime/autograd": ["runtime/core", "runtime/dispatch", "runtime/target"],
    "generated/operators": ["runtime/core", "runtime/dispatch", "runtime/distributed/group"],
    "runtime/batching": [
        "generated/operators",
        "runtime/autograd",
        "runtime/core",
        "runtime/dispatch",
    ],
    "runtime/forward": [
        "generated/operators",
        "runtime/autograd",
        "runtime/batching",
        "runtime/core",
        "runtime/dispatch",
    ],
    # Operators without YAML.
    "runtime/autocast": ["generated/operators", "runtime/core", "runtime/dispatch"],
    "runtime/library": ["runtime/core", "runtime/dispatch", "runtime/forward"],
    "runtime/distributed/backends": [
        "generated/operators",
        "runtime/core",
        "runtime/distributed/group",
        "runtime/distributed/store",
        "runtime/distributed/watch",
        "runtime/target",
    ],
    # A plugin of the one above.
    "runtime/distributed/backends/mpi": [
        "runtime/core",
        "runtime/distributed/backends",
        "runtime/distributed/store",
    ],
    "runtime/distributed/schedule": [
        "generated/operators",
        "runtime/core",
        "runtime/distributed/backends",
        "runtime/distributed/group",
        "runtime/distributed/store",
        "runtime/distributed/watch",
    ],
    "runtime/distributed/training": [
        "generated/operators",
        "runtime/autograd",
        "runtime/core",
        "runtime/distributed/group",
        "runtime/distributed/store",
        "runtime/distributed/watch",
    ],
    "kernels/composite": [
        "generated/operators",
        "runtime/autograd",
        "runtime/batching",
        "runtime/core",
        "runtime/distributed/group",
        "runtime/forward",
        "runtime/pointwise",
        "runtime/rules",
        "runtime/settings",
        "runtime/target",
    ],
    "kernels/plans": ["runtime/core", "runtime/rules"],
    "kernels/cpu": [
        "dtypes",
        "generated/operators",
        "kernels/plans",
        "runtime/core",
        "runtime/pointwise",
        "runtime/rules",
        "runtime/target",
    ],
    "kernels/meta": ["runtime/pointwise", "runtime/target"],
    "kernels/results": ["generated/operators", "runtime/core", "runtime/dispatch", "runtime/rules"],
    # What operator libraries of every release can load.
    "runtime/stable": [
        "dtypes",
        "generated/operators",
        "kernels/composite",
        "kernels/cpu",
        "kernels/meta",
        "kernels/results",
        "runtime/autograd",
        "runtime/batching",
        "runtime/core",
        "runtime/dispatch",
        "runtime/forward",
        "runtime/library",
        "runtime/pointwise",
        "runtime/rules",
        "runtime/target",
        "rules",
    ],
    "generated/registration": [
        "bindings/cpp",
        "bindings/python",
        "generated/operators",
        "kernels/composite",
        "kernels/cpu",
        "kernels/meta",
        "kernels/results",
        "runtime/autocast",
        "runtime/autograd",
        "runtime/batching",
        "runtime/distributed/group",
        "runtime/forward",
        "runtime/rules",
    ],
    "kernels/initialize": [
        "generated/operators",
        "generated/registration",
        "kernels/cpu",
        "kernels/meta",
        "runtime/autograd",
        "runtime/core",
    ],
    "bindings/native": [
        "generated/operators",
        "kernels/composite",
        "kernels/cpu",
        "kernels/initialize",
        "kernels/meta",
        "kernels/results",
        "runtime/autocast",
        "runtime/autograd",
        "runtime/batching",
        "runtime/core",
        "runtime/dispatch",
        "runtime/distributed/backends",
        "runtime/distributed/backends/mpi",
        "runtime/distributed/group",
        "runtime/distributed/schedule",
        "runtime/distributed/store",
        "runtime/distributed/training",
        "runtime/distributed/watch",
        "runtime/forward",
        "runtime/library",
        "runtime/pointwise",
        "runtime/rules",
        "runtime/stable",
        "runtime/target",
    ],
    "bindings/cpp": ["dtypes", "kernels/initialize", "runtime/autograd", "runtime/core"],
    "bindings/python": [
        "bindings/native",
        "dtypes",
        "generated/operators",
        "generated/registration",
        "kernels/initialize",
        "runtime/autocast",
        "runtime/autograd",
        "runtime/batching",
        "runtime/core",
        "runtime/dispatch",
        "runtime/distributed/backends",
        "runtime/distributed/group",
        "runtime/distributed/schedule",
        "runtime/distributed/store",
        "runtime/distributed/training",
        "runtime/distributed/watch",
        "runtime/forward",
        "runtime/library",
        "runtime/rules",
        "runtime/settings",
        "runtime/stable",
        "runtime/target",
        "schema",
    ],
    "kernels/cuda": [
        "bindings/native",
        "dtypes",
        "generated/operators",
        "kernels/results",
        "runtime/core",
        "runtime/dispatch",
        "runtime/pointwise",
        "runtime/target",
    ],
    # The generator knows nothing of the above.
    "codegen/diagnostics": [],
    "codegen/syntax": ["codegen/diagnostics", "dtypes", "schema"],
    "codegen/expr": ["codegen/diagnostics", "codegen/syntax", "schema"],
    "codegen/proof": ["codegen/expr"],
    "codegen/rules": ["codegen/diagnostics", "codegen/expr", "codegen/syntax"],
    "codegen/model": [
        "codegen/diagnostics",
        "codegen/expr",
        "codegen/proof",
        "codegen/rules",
        "codegen/syntax",
        "dtypes",
        "schema",
    ],
    "codegen/shapes": [
        "codegen/diagnostics",
        "codegen/model",
        "codegen/rules",
        "codegen/syntax",
        "dtypes",
        "rules",
        "schema",
    ],
    "codegen/emit": [
        "bindings/python",
        "codegen/diagnostics",
        "codegen/expr",
        "codegen/model",
        "codegen/shapes",
        "codegen/syntax",
        "dtypes",
        "kernels/cuda",
        "runtime/core",
        "schema",
    ],
    "codegen/explain": ["codegen/diagnostics"],
    "codegen/json_schema": ["codegen/model", "codegen/syntax"],
    "codegen/vocabulary": [
        "codegen/diagnostics",
        "codegen/expr",
        "codegen/model",
        "codegen/rules",
        "codegen/syntax",
        "dtypes",
    ],
    "codegen/lint": ["codegen/expr", "codegen/model"],
    "codegen/math": ["codegen/expr", "codegen/model"],
    "codegen/new_op": ["codegen/emit", "codegen/model", "codegen/syntax"],
    "codegen/report": ["codegen/diagnostics", "codegen/explain", "codegen/model"],
    "codegen/torch": ["codegen/diagnostics", "codegen/model", "codegen/syntax", "schema"],
    "codegen/compare": ["codegen/emit", "codegen/model"],
    "codegen/docs": ["codegen/emit", "codegen/lint", "codegen/math", "codegen/model"],
    "codegen/files": ["codegen/diagnostics", "codegen/emit", "codegen/model"],
    "codegen/lsp": [
        "codegen/diagnostics",
        "codegen/emit",
        "codegen/expr",
        "codegen/files",
        "codegen/math",
        "codegen/model",
        "codegen/report",
        "codegen/shapes",
        "codegen/syntax",
    ],
    "codegen/cli": [
        "codegen/compare",
        "codegen/diagnostics",
        "codegen/docs",
        "codegen/emit",
        "codegen/explain",
        "codegen/files",
        "codegen/json_schema",
        "codegen/lint",
        "codegen/lsp",
        "codegen/model",
        "codegen/new_op",
        "codegen/report",
        "codegen/shapes",
        "codegen/syntax",
        "codegen/torch",
        "codegen/vocabulary",
        "schema",
    ],
}

# What points upwards all the same, and why.
UPWARDS = {
    "generated/registration": {
        "bindings/cpp": "The generated front end builds on the handwritten one.",
        "bindings/python": "The generated bindings build on the handwritten ones.",
    },
}

# Packages that are made for others: programs, operator libraries, targets.
_PUBLIC = ["bindings/cpp", "bindings/native", "bindings/python", "codegen/cli", "kernels/cuda"]

_EVERYWHERE = ["//benchmarks:__subpackages__", "//examples:__subpackages__", "//tests:__subpackages__", "//tools:__subpackages__"]

def _package(layer):
    return "//generated:__pkg__" if layer.startswith("generated/") else "//%s:__subpackages__" % layer

def users_of(layer):
    """The visibility of a layer: those above it that say so, and tests, benchmarks, examples and tools."""
    if layer not in LAYERS:
        fail("tools/layers.bzl does not say what //%s may use" % layer)
    if layer in _PUBLIC:
        return ["//visibility:public"]
    users = [_package(user) for user, used in LAYERS.items() if layer in used]
    return ["//%s:__subpackages__" % layer] + users + _EVERYWHERE

def layer_visibility():
    """The visibility of the package that is being read: of its layer."""
    parts = native.package_name().split("/")
    names = ["/".join(parts[:n]) for n in (4, 3, 2) if "/".join(parts[:n]) in LAYERS]
    return users_of(names[0] if names else "/".join(parts[:2]))
