// Functions that the C library lacks, in long double.
#pragma once

namespace opweave::codegen {

long double digamma(long double x);
long double trigamma(long double x);
long double erf_inverse(long double y);

}  // namespace opweave::codegen
