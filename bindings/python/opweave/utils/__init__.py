"""Helpers around tensors."""
