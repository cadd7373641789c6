// Functions that the C library lacks, in long double.
#pragma once

#include <cmath>

namespace opweave::codegen {

long double digamma(long double x);
long double trigamma(long double x);
// The derivative of digamma of order n; NaN for what is no order.
long double polygamma(long double n, long double x);
long double erf_inverse(long double y);
// The modified Bessel function of the first kind, of order 0 or 1; NaN for what is larger than
// this.
inline constexpr long double kLargestOfBessel = 10000;
long double bessel_i(int order, long double x);

inline long double sign_of(long double x) { return static_cast<long double>((x > 0) - (x < 0)); }
inline long double round_to_even(long double x) { return std::nearbyint(x); }

}  // namespace opweave::codegen
