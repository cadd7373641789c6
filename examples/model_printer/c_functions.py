"""What C calls the functions of the vocabulary: all that is said of C beside its types."""

_COMPARED = {
    "less": "x < y", "less_equal": "x <= y", "greater": "x > y", "greater_equal": "x >= y",
    "equal": "x == y", "not_equal": "x != y",
}  # fmt: skip
OF_LOGIC = {"logical_and": "x && y", "logical_or": "x || y", "logical_not": "!x"}
_OWN_NAMES = """
    exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
    erf erfc lgamma floor ceil trunc isnan isinf isfinite
"""
_OWN_NAMES_OF_TWO = ["pow", "atan2", "hypot", "fmod", "copysign"]

# Of doubles x and y; of float the result is rounded once more, which changes nothing of arithmetic.
OF_FLOATS = {
    **_COMPARED,
    **{name: f"{name}(x)" for name in _OWN_NAMES.split()},
    **{name: f"{name}(x, y)" for name in _OWN_NAMES_OF_TWO},
    "add": "x + y",
    "subtract": "x - y",
    "multiply": "x * y",
    "divide": "x / y",
    "negate": "-x",
    "abs": "fabs(x)",
    "round": "rint(x)",
    "sign": "(x > 0) - (x < 0)",
    "erfinv": "inverse_erf(x)",
    "digamma": "psi(x)",
    "trigamma": "polygamma_of(1, x)",
    "polygamma": "polygamma_of(x, y)",
    "i0": "bessel_i(0, x)",
    "i1": "bessel_i(1, x)",
}
_UNSIGNED = "(int64_t)((uint64_t)x {} (uint64_t)y)"
OF_WHOLE = {
    **_COMPARED,
    **dict.fromkeys(("floor", "ceil", "round", "trunc"), "x"),
    "add": _UNSIGNED.format("+"),
    "subtract": _UNSIGNED.format("-"),
    "multiply": _UNSIGNED.format("*"),
    "square": "(int64_t)((uint64_t)x * (uint64_t)x)",
    "negate": "(int64_t)(0 - (uint64_t)x)",
    "abs": "x < 0 ? (int64_t)(0 - (uint64_t)x) : x",
    "sign": "(x > 0) - (x < 0)",
    "relu": "x < 0 ? 0 : x",
    "bit_and": "x & y",
    "bit_or": "x | y",
    "bit_xor": "x ^ y",
    "bit_not": "~x",
    "gcd": "whole_gcd(x, y)",
    "shift_left": "y < 0 || y > 63 ? 0 : (int64_t)((uint64_t)x << y)",
    "shift_right": "y < 0 || y > 63 ? -(x < 0) : x >> y",
    "pow": "whole_pow(x, y)",
    "fmod": "whole_rest(x, y)",
    "trunc_div": "whole_quotient(x, y)",
    "floor_div": "whole_floor_div(x, y)",
    "remainder": "whole_remainder(x, y)",
    "maximum": "x > y ? x : y",
    "minimum": "x < y ? x : y",
    "isnan": "0",
    "isinf": "0",
    "isfinite": "1",
}
# Truth values are 0 and 1 in arithmetic; their bits are one.
OF_TRUTH = {"bit_not": "!x"}
