"""Special functions under the names of PyTorch's module `special`: operators, some under further names."""

from opweave import _C

__all__ = [
    *("digamma", "entr", "erf", "erfc", "erfinv", "exp2", "expit", "expm1", "gammaln", "i0", "i0e"),
    *(
        "i1",
        "i1e",
        "log1p",
        "log_softmax",
        "logit",
        "logsumexp",
        "ndtr",
        "polygamma",
        "psi",
        "round",
    ),
    *("sinc", "softmax", "xlogy"),
]

# The operators whose python_module is `special` are called special_entr, PyTorch's functions entr.
for _name, _function in vars(_C._special).items():
    if not _name.startswith("_"):
        globals()[_name.removeprefix("special_")] = _function
# What has another name, or the same one, outside of the module.
_OUTSIDE = {name: name for name in __all__ if name not in globals()}
_OUTSIDE.update(expit="sigmoid", gammaln="lgamma", psi="digamma")
for _name, _other in _OUTSIDE.items():
    globals()[_name] = getattr(_C, _other)
del _name, _function, _other
