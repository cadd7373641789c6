"""Written by tools/codegen/update_operators.py from the #include lines."""

USES = {
    "indexing_test.cc": [
        "ops/gather", "ops/index", "ops/index_add", "ops/index_copy", "ops/index_put", "ops/index_select",
        "ops/masked_scatter", "ops/masked_select", "ops/nonzero", "ops/scatter", "ops/scatter_add",
    ],
    "matrix_test.cc": [
        "ops/addmm", "ops/bmm", "ops/dot", "ops/einsum", "ops/linear", "ops/matmul", "ops/mm", "ops/mv",
    ],
    "movement_test.cc": [
        "ops/arange", "ops/as_strided", "ops/as_strided_backward", "ops/cat", "ops/clone", "ops/flip",
        "ops/linspace", "ops/randn", "ops/randperm", "ops/repeat", "ops/reshape", "ops/roll", "ops/stack",
        "ops/tril", "ops/triu",
    ],
    "network_test.cc": [
        "ops/_log_softmax", "ops/_softmax", "ops/convolution", "ops/convolution_backward", "ops/full_like",
        "ops/gru", "ops/gru_cell", "ops/mul", "ops/native_layer_norm", "ops/select", "ops/sort", "ops/sum",
        "ops/topk", "ops/unsqueeze",
    ],
    "normalization_test.cc": [
        "ops/_log_softmax_backward_data", "ops/_softmax_backward_data", "ops/native_batch_norm",
        "ops/native_batch_norm_backward", "ops/native_group_norm", "ops/native_group_norm_backward",
        "ops/native_layer_norm", "ops/native_layer_norm_backward",
    ],
    "reduction_test.cc": [
        "ops/all", "ops/amax", "ops/amin", "ops/any", "ops/argmax", "ops/argmin", "ops/count_nonzero",
        "ops/cumprod", "ops/cumsum", "ops/linalg_vector_norm", "ops/max", "ops/mean", "ops/prod", "ops/std",
        "ops/sum", "ops/var",
    ],
    "views_test.cc": [
        "ops/diagonal", "ops/expand", "ops/select", "ops/slice",
    ],
}
