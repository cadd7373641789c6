"""opweave.backends.cuda.matmul: how products of matrices on CUDA devices may round."""

from opweave.backends._settings import PRECISIONS, Setting, make_module

_settings = {
    "allow_bf16_reduced_precision_reduction": Setting(True),
    "allow_fp16_accumulation": Setting(False),
    "allow_fp16_reduced_precision_reduction": Setting(True),
    "allow_tf32": Setting(False),
    "fp32_precision": Setting("none", known=PRECISIONS, kind=str),
}

make_module(__name__)
