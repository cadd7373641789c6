"""Says where the built package is: python3 benchmarks/package.py under Bazel's search path."""

import opweave

print(opweave.__path__[0])
