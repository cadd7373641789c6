// Functions of one double that neither the C++ library nor SLEEF has, or not for all numbers.
#pragma once

namespace opweave::cpu {

// The logarithmic derivative of the gamma function; ∓infinity at ±0, NaN at the negative integers.
double digamma(double x);
// The derivative of digamma: infinity at 0 and the negative integers.
double trigamma(double x);
// The derivative of digamma of order n = 0, 1, 2, ...; infinity at 0 and the negative integers, NaN
// for what is no order.
double polygamma(double n, double x);
// The modified Bessel functions of the first kind, and those times exp(-|x|), which stay finite.
double i0(double x);
double i1(double x);
double i0e(double x);
double i1e(double x);
// log |gamma(x)|; unlike std::lgamma it touches no global variable.
double lgamma(double x);

}  // namespace opweave::cpu
