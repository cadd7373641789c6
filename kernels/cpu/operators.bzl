"""Written by tools/codegen/update_operators.py from the #include lines."""

USES = {
    "attention/attention.cc": [
        "kernels/cpu/_scaled_dot_product_flash_attention_for_cpu",
        "kernels/cpu/_scaled_dot_product_flash_attention_for_cpu_backward",
    ],
    "convolution/convolution.cc": [
        "kernels/cpu/convolution", "kernels/cpu/convolution_backward", "kernels/cpu/sum",
    ],
    "copying/cat.cc": [
        "kernels/cpu/cat",
    ],
    "copying/copy.cc": [
        "kernels/cpu/copy_", "kernels/cpu/fill_", "kernels/cpu/zero_",
    ],
    "copying/ranges.cc": [
        "kernels/cpu/_fill_linspace_", "kernels/cpu/_fill_range_", "kernels/cpu/_local_scalar_dense",
        "kernels/cpu/repeat_interleave",
    ],
    "copying/rearrange.cc": [
        "kernels/cpu/flip", "kernels/cpu/tril", "kernels/cpu/triu",
    ],
    "indexing/crossed_select.cc": [
        "kernels/cpu/_crossed_select",
    ],
    "indexing/embedding.cc": [
        "kernels/cpu/embedding", "kernels/cpu/embedding_dense_backward",
    ],
    "indexing/gather_scatter.cc": [
        "kernels/cpu/gather", "kernels/cpu/scatter_", "kernels/cpu/scatter_add_",
        "kernels/cpu/scatter_reduce_",
    ],
    "indexing/index.cc": [
        "kernels/cpu/_index", "kernels/cpu/_index_put_", "kernels/cpu/index_add_", "kernels/cpu/index_copy_",
        "kernels/cpu/index_select",
    ],
    "indexing/masked.cc": [
        "kernels/cpu/masked_scatter_", "kernels/cpu/masked_select", "kernels/cpu/nonzero",
    ],
    "indexing/weighted_reads.cc": [
        "kernels/cpu/weighted_reads", "kernels/cpu/weighted_reads_backward",
        "kernels/cpu/weighted_reads_products",
    ],
    "linear_algebra/matmul.cc": [
        "kernels/cpu/addmm", "kernels/cpu/baddbmm", "kernels/cpu/bmm", "kernels/cpu/dot",
        "kernels/cpu/linear", "kernels/cpu/mm", "kernels/cpu/mv",
    ],
    "linear_algebra/svd.cc": [
        "kernels/cpu/linalg_svd", "kernels/cpu/linalg_svdvals",
    ],
    "normalization/batch_norm.cc": [
        "kernels/cpu/native_batch_norm", "kernels/cpu/native_batch_norm_backward",
    ],
    "normalization/group_norm.cc": [
        "kernels/cpu/native_group_norm", "kernels/cpu/native_group_norm_backward",
    ],
    "pooling/avg_pool.cc": [
        "kernels/cpu/_adaptive_avg_pool2d_backward", "kernels/cpu/adaptive_avg_pool2d",
        "kernels/cpu/avg_pool2d", "kernels/cpu/avg_pool2d_backward",
    ],
    "pooling/max_pool.cc": [
        "kernels/cpu/adaptive_max_pool2d", "kernels/cpu/max_pool2d_with_indices",
        "kernels/cpu/max_pool2d_with_indices_backward",
    ],
    "random/counts.cc": [
        "kernels/cpu/binomial", "kernels/cpu/poisson",
    ],
    "random/dropout.cc": [
        "kernels/cpu/native_dropout",
    ],
    "random/random.cc": [
        "kernels/cpu/bernoulli_", "kernels/cpu/exponential_", "kernels/cpu/normal_", "kernels/cpu/random_",
        "kernels/cpu/uniform_",
    ],
    "reduction/extremes.cc": [
        "kernels/cpu/argmax", "kernels/cpu/argmin", "kernels/cpu/max", "kernels/cpu/min",
    ],
    "reduction/moments.cc": [
        "kernels/cpu/std", "kernels/cpu/std_mean", "kernels/cpu/var", "kernels/cpu/var_mean",
    ],
    "reduction/pair_distances.cc": [
        "kernels/cpu/_pair_distances",
    ],
    "reduction/reduce.cc": [
        "kernels/cpu/all", "kernels/cpu/any", "kernels/cpu/count_nonzero", "kernels/cpu/mean",
        "kernels/cpu/nansum", "kernels/cpu/prod", "kernels/cpu/sum",
    ],
    "reduction/running_extremes.cc": [
        "kernels/cpu/cummax", "kernels/cpu/cummin",
    ],
    "reduction/scan.cc": [
        "kernels/cpu/cumprod", "kernels/cpu/cumsum",
    ],
    "reduction/vector_norm.cc": [
        "kernels/cpu/linalg_vector_norm",
    ],
    "sorting/search.cc": [
        "kernels/cpu/_searchsorted",
    ],
    "sorting/sort.cc": [
        "kernels/cpu/kthvalue", "kernels/cpu/median", "kernels/cpu/mode", "kernels/cpu/nanmedian",
        "kernels/cpu/sort", "kernels/cpu/topk",
    ],
    "sorting/unique.cc": [
        "kernels/cpu/_unique2", "kernels/cpu/unique_consecutive", "kernels/cpu/unique_dim",
    ],
    "training/ctc_loss.cc": [
        "kernels/cpu/_ctc_loss", "kernels/cpu/_ctc_loss_backward",
    ],
    "training/nll_loss.cc": [
        "kernels/cpu/nll_loss_backward", "kernels/cpu/nll_loss_forward",
    ],
    "training/optimizer_steps.cc": [
        "kernels/cpu/_fused_adadelta_", "kernels/cpu/_fused_adagrad_", "kernels/cpu/_fused_adam_",
        "kernels/cpu/_fused_adamax_", "kernels/cpu/_fused_asgd_", "kernels/cpu/_fused_nadam_",
        "kernels/cpu/_fused_radam_", "kernels/cpu/_fused_rmsprop_", "kernels/cpu/_fused_rprop_",
        "kernels/cpu/_fused_sgd_",
    ],
    "training/unscale.cc": [
        "kernels/cpu/_amp_foreach_non_finite_check_and_unscale_",
    ],
}
