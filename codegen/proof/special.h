// Functions that the C library lacks, in long double.
#pragma once

namespace opweave::codegen {

long double digamma(long double x);
long double trigamma(long double x);
// The derivative of digamma of order n; NaN for what is no order.
long double polygamma(long double n, long double x);
long double erf_inverse(long double y);
// The modified Bessel function of the first kind, of order 0 or 1.
long double bessel_i(int order, long double x);

}  // namespace opweave::codegen
