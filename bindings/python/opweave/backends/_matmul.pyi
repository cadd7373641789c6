# Types of opweave.backends._matmul.

class cuBLASModule:
    allow_bf16_reduced_precision_reduction: bool
    allow_fp16_accumulation: bool
    allow_fp16_reduced_precision_reduction: bool
    allow_tf32: bool
    fp32_precision: str
    prefer_cublaslt_grouped_gemm: bool
    @property
    def allow_bf16_reduced_precision_reduction_split_k(self) -> bool: ...
    @property
    def allow_fp16_reduced_precision_reduction_split_k(self) -> bool: ...

matmul: cuBLASModule
