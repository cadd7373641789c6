"""opweave.backends.cuda.matmul: how products of matrices on CUDA devices may round."""

from opweave.backends._settings import Setting, make_module

_settings = {
    "allow_bf16_reduced_precision_reduction": Setting(True),
    "allow_fp16_accumulation": Setting(False),
    "allow_fp16_reduced_precision_reduction": Setting(True),
    "allow_tf32": Setting(False),
}

make_module(__name__)
