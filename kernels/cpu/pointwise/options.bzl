"""How files of kernels are compiled."""

# Handwritten ones: plain loops are meant to become vector code.
KERNEL_COPTS = [
    "-O3",
    "-fno-math-errno",
    "-fopenmp-simd",
]

# Generated ones.
POINTWISE_COPTS = [
    # Loops over integers are plain code: let the compiler turn them into vectors where it pays.
    "-fvect-cost-model=dynamic",
    # a * b + c is fused where the code says so, and nowhere else: alike on all instruction sets.
    "-ffp-contract=off",
]
