"""Prints the table of fast_math-inl.h's tanh: a polynomial of degree four for each of 32 intervals.

The upper bits of |x| + BIAS, which lies in [BIAS, 16 BIAS), name the interval: eight to an octave.
Each polynomial is a least-squares fit in the relative error at Chebyshev nodes, which is close to
the minimax one. It is centred where tanh is a float almost exactly, so that rounding the constant
term costs nothing (S. Gal, "Computing elementary functions: a new approach for achieving high
accuracy and good performance", 1986).
"""

import numpy as np

BIAS = 0.625
PER_OCTAVE = 8


def intervals() -> dict[int, tuple[float, float]]:
    """The ends of each interval in |x|, by index."""
    found = {}
    for exponent in range(-1, 4):
        step = 2.0**exponent / PER_OCTAVE
        for left in 2.0**exponent + step * np.arange(PER_OCTAVE):
            if BIAS <= left < 16 * BIAS:
                bits = np.float32(left).view(np.uint32)
                found[int(bits >> 20) % 32] = (left - BIAS, left + step - BIAS)
    return found


def exact_centre(left: float, right: float) -> float:
    """The float in the middle tenth of the interval whose tanh is closest to a float."""
    width = right - left
    middle = np.linspace(left + 0.45 * width, left + 0.55 * width, 200_001, dtype=np.float32)
    tanh = np.tanh(middle.astype(np.float64))
    return float(middle[np.argmin(np.abs(tanh.astype(np.float32) - tanh) / tanh)])


def chebyshev_nodes(left: float, right: float) -> np.ndarray:
    return (left + right) / 2 + (right - left) / 2 * np.cos(np.pi * (np.arange(100) + 0.5) / 100)


def row(left: float, right: float) -> list[float]:
    """The centre c and the coefficients of 1, d, ..., d^4, where d = |x| - c."""
    x = chebyshev_nodes(left, right)
    # From zero on, the result is to be x itself to the last digit.
    centre, fixed = (exact_centre(left, right), 1) if left > 0 else (0.0, 2)
    given = [float(np.float32(np.tanh(centre))), 1.0][:fixed]
    powers = np.vander(x - centre, 5, increasing=True)
    rest = np.tanh(x) - powers[:, :fixed] @ given
    weights = 1 / np.tanh(x)
    fit = np.linalg.lstsq(powers[:, fixed:] * weights[:, None], rest * weights, rcond=None)[0]
    return [centre, *given, *fit]


def literal(value: np.float32) -> str:
    digits, exponent = float(value).hex().split("p")
    return f"{digits.rstrip('0')}p{exponent}f".replace(".p", "p")


def main() -> None:
    rows = [row(*ends) for _, ends in sorted(intervals().items())]
    for column in np.array(rows, dtype=np.float32).T:
        print("{" + ", ".join(literal(value) for value in column) + "},")


if __name__ == "__main__":
    main()
