"""What libopweave.so is made of, besides the generated dispatch tables."""

load("//tools/codegen:generated.bzl", "library_uses", "registered_libraries")

_OWN = [
    "//kernels/initialize",
    "//runtime/core",
    "//runtime/dispatch",
    "//runtime/library",
    "//runtime/pointwise",
    "//runtime/target",
    "//runtime/rules",
    "//runtime/rules:functions",
    "//runtime/stable",
]

# What the generator prints rules for, autograd among them: programs may use its headers.
_FUNCTIONALITIES = {
    label: True
    for library in registered_libraries()
    for label in library_uses(library)
    if label.startswith("//runtime/") and label not in _OWN
}.keys()

RUNTIME_LIBRARIES = _OWN + _FUNCTIONALITIES
