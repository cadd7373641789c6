"""What libopweave.so is made of, besides the generated dispatch tables."""

RUNTIME_LIBRARIES = [
    "//kernels/initialize",
    "//runtime/autograd",
    "//runtime/batching",
    "//runtime/core",
    "//runtime/dispatch",
    "//runtime/forward",
    "//runtime/pointwise",
    "//runtime/target",
    "//runtime/rules",
    "//runtime/rules:functions",
]
