"""How CUDA code is compiled: the target's own, and that of operator libraries."""

# Compute capabilities that machine code is made for; PTX of the last serves those to come.
ARCHITECTURES = ["80", "90"]

CUDA_CODE_GENERATION = ["--expt-relaxed-constexpr", "--extended-lambda", "-Xfatbin", "-compress-all"]
