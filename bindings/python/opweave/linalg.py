"""Linear algebra: the operators of ops.yaml whose python_module is `linalg`."""

from opweave import _C

# PyTorch's operators are called linalg_norm, its functions linalg.norm.
for _name, _function in vars(_C._linalg).items():
    if not _name.startswith("_"):
        globals()[_name.removeprefix("linalg_")] = _function
