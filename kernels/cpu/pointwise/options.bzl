"""How files of pointwise kernels are compiled."""

# Loops over integers are plain code: let the compiler turn them into vectors where it pays.
POINTWISE_COPTS = ["-fvect-cost-model=dynamic"]
