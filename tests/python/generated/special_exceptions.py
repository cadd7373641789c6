"""Where pointwise operators give something else than PyTorch at special points, and why.

Each table has one reason. It says of which differences of an operator (test_specials.py) that is so;
`gradient self at (-*` stands for all that begin so.
"""

from break_exceptions import is_listed

# At its poles PyTorch's trigamma is a huge number, whatever rounding gives; it is infinite, and has limits at
# infinity.
POLES = {
    "digamma": ["gradient self at (-*"],
    "lgamma": ["second self at (-*"],
    "polygamma": ["value  at (*", "gradient self at (*"],
}
# The limit, or the slope of the branch in which the value is a constant, where PyTorch multiplies or divides
# zeros and infinities.
LIMITS = {
    "hardswish": ["value  at (-inf,)"],
    "i0": [
        "value  at (inf,)",
        "value  at (-inf,)",
        "gradient self at (inf,)",
        "gradient self at (-inf,)",
    ],
    "kl_div": ["gradient target at *"],
    "special_i1": ["value  at (inf,)", "value  at (-inf,)"],
    "xlogy.Tensor": ["gradient other at *", "second self at *"],
    "xlogy.Scalar_Self": ["gradient other at *"],
}
# NaN times a logarithm is NaN, and so is the logarithm: PyTorch lets it through here but at zero.
NAN_OF_A_NUMBER = {"xlogy.Scalar_Other": ["gradient self at *"]}
# A kink of the first derivative: the second one is that of the other branch.
KINKS = {
    **{
        name: ["second self at (0.0,)", "second self at (-0.0,)"]
        for name in ("celu", "elu", "selu")
    },
    "softplus": ["second self at (20.0,)"],
}
# As pow() of C and IEEE 754; PyTorch takes the square root.
POWERS = {"pow.Tensor_Scalar": ["value  at (-inf,)", "gradient self at (-inf,)"]}
# The slope of the branch that gives NaN, where PyTorch's clamp has none; a slope of zero is zero, times an
# infinite label as well.
BRANCHES = {
    "hinge_embedding_loss": ["gradient self at (nan*"],
    "margin_ranking_loss": ["gradient *", "second *"],
}
TABLES = (BRANCHES, POLES, LIMITS, NAN_OF_A_NUMBER, KINKS, POWERS)
__all__ = ["TABLES", "is_listed"]
