"""Where an `out` of some dtype is taken or refused unlike in PyTorch, and why.

Call -> dtypes of `out`.
"""

from reference.dtypes import COMMON, FLOATING

WHOLE = tuple(d for d in COMMON if d not in FLOATING)
# PyTorch takes them: no element is computed, and what refuses the dtype in all other calls is not asked.
NOTHING_COMPUTED = {
    "cumsum(self=real(),dim=0)": ("bool",),
    "linspace(start=0,end=1,steps=1)": ("bool",),
    # With a number it is `mul`, which casts.
    "inner(self=real(),other=real(3))": tuple(d for d in COMMON if d != "bool"),
}
# PyTorch refuses them: a loss is written element by element first, and `out` has another size then; a sum in
# whole numbers without NaN is there for `dtype`, and not for `out`.
REFUSED_BY_ACCIDENT = {
    "binary_cross_entropy(self=prob(2x3),target=prob(2x3),weight=positive(3),reduction=2)": (
        "float32",
        "float64",
    ),
    # Nothing is subtracted: the tensor is copied.
    "diff(self=real(3),n=0)": tuple(d for d in COMMON if d != "bool"),
    "nansum(self=[[1.5,nan,-0.5],[nan,2.0,0.25]])": WHOLE,
    "nansum(self=[[1.5,nan,-0.5],[nan,2.0,0.25]],dim=[1])": WHOLE,
}


def excused(key, dtype, taken_by_pytorch):
    """Whether it is meant that `out` of the dtype is taken here, or is not, unlike in PyTorch."""
    table = NOTHING_COMPUTED if taken_by_pytorch else REFUSED_BY_ACCIDENT
    return dtype in table.get(key, ())
