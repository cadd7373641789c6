"""Operators written in Python without YAML, after torch.library: kernels, fakes, gradients, vmap, checks."""
