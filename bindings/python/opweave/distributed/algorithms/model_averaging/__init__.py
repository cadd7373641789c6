"""Averages of parameters over the ranks of a group, every few steps."""
