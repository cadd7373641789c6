"""Targets that are built with libtorch: only where benchmarks/make_env has made its environment."""

load("@pytorch//:found.bzl", "PYTORCH")

PYTORCH_ONLY = [] if PYTORCH else ["//benchmarks:no_pytorch"]
