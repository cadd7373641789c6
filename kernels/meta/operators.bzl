"""Written by tools/codegen/update_operators.py from the #include lines."""

USES = {
    "fill.cc": [
        "kernels/meta/fill_", "kernels/meta/zero_",
    ],
    "indexing.cc": [
        "kernels/meta/_index", "kernels/meta/_index_put_", "kernels/meta/gather", "kernels/meta/index_add_",
        "kernels/meta/index_copy_", "kernels/meta/index_select", "kernels/meta/masked_scatter_",
        "kernels/meta/scatter_", "kernels/meta/scatter_add_",
    ],
    "movement.cc": [
        "kernels/meta/_fill_linspace_", "kernels/meta/_fill_range_", "kernels/meta/copy_",
        "kernels/meta/flip", "kernels/meta/tril", "kernels/meta/triu",
    ],
    "random.cc": [
        "kernels/meta/bernoulli_", "kernels/meta/exponential_", "kernels/meta/normal_",
        "kernels/meta/random_", "kernels/meta/uniform_",
    ],
}
