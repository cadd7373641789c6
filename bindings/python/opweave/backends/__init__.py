"""Settings of what computes, under PyTorch's names.

A setting that permits something (`cudnn.benchmark`, `allow_tf32`, a lower precision of products) is kept
and read back; a permission that nothing here makes use of changes no number. One that asks for what is
not there raises.
"""

from opweave.backends import cpu, cuda, cudnn, mkl, mkldnn, mps, openmp, opt_einsum

__all__ = ["cpu", "cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp", "opt_einsum"]
