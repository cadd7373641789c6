"""Mutants that no test can notice, each with the reason: they compute the same.

Keys are the operator, the place and the change, as `./dev mutate` prints them.
"""

EQUIVALENT = {}
