"""What the generator writes. From codegen/emit/output_table.def, by `./dev outputs`."""

OUTPUTS = [
    {"path": "opweave/ops/{name}.h", "split": "operators", "library": ""},
    {"path": "opweave/kernels/{target}/{name}.h", "split": "kernels", "library": ""},
    {"path": "opweave/kernels/{target}.h", "split": "target_package", "library": ""},
    {"path": "opweave/dispatch/operators_{shard}.cc", "split": "shards", "library": "dispatch"},
    {"path": "opweave/meta/pointwise_{shard}.cc", "split": "shards", "library": "meta"},
    {"path": "opweave/{target}/pointwise_{shard}.cc", "split": "target_shards", "library": "{target}"},
    {"path": "opweave/rules/results_{shard}.cc", "split": "shards", "library": "rules"},
    {"path": "opweave/composite/composites_{shard}.cc", "split": "shards", "library": "composite"},
    {"path": "opweave/autograd/autograd_{shard}.cc", "split": "shards", "library": "autograd"},
    {"path": "opweave/forward/rules_{shard}.cc", "split": "shards", "library": "forward"},
    {"path": "opweave/batching/rules_{shard}.cc", "split": "shards", "library": "batching"},
    {"path": "opweave/register.cc", "split": "once", "library": "register"},
    {"path": "opweave/{target}/register.cc", "split": "targets", "library": "{target}"},
    {"path": "opweave/ow.h", "split": "own", "library": ""},
    {"path": "opweave/python/bindings_{shard}.cc", "split": "shards", "library": "python"},
    {"path": "opweave/python/register.cc", "split": "once", "library": "python"},
    {"path": "opweave/_generated.pyi", "split": "own", "library": ""},
    {"path": "opweave/_generated_nn.pyi", "split": "own", "library": ""},
    {"path": "opweave/tests/operators.py", "split": "own", "library": ""},
    {"path": "opweave/entries.txt", "split": "once", "library": ""},
]
