# Types of opweave.backends._matmul.

allow_bf16_reduced_precision_reduction: bool
allow_fp16_accumulation: bool
allow_fp16_reduced_precision_reduction: bool
allow_tf32: bool
fp32_precision: str
