/* What C99 has no function for, and arithmetic of whole numbers: what printed kernels call. */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Set by a division of whole numbers by 0, which is an error of the call. */
static int divided_by_zero;

static const double kPi = 3.14159265358979323846;

/* Newton's method on erf. */
static inline double inverse_erf(double y) {
  if (!(fabs(y) < 1)) return fabs(y) == 1 ? y * INFINITY : NAN;
  double x = 0;
  for (int i = 0; i < 60; ++i) {
    const double step = (erf(x) - y) * sqrt(kPi) / 2 * exp(x * x);
    x -= step > 0.5 ? 0.5 : step < -0.5 ? -0.5 : step;
  }
  return x;
}

/* By the recurrence, and the asymptotic series (Abramowitz and Stegun 6.3.5, 6.3.7, 6.3.18). */
static inline double psi(double x) {
  if (x == 0) return -copysign(INFINITY, x);
  if (x < 0) return x == floor(x) ? NAN : psi(1 - x) - kPi / tan(kPi * x);
  double sum = 0;
  for (; x < 12; x += 1) sum -= 1 / x;
  const double y = 1 / (x * x);
  return sum + log(x) - 0.5 / x - y * (1. / 12 - y * (1. / 120 - y * (1. / 252 - y / 240)));
}

/* Term by term (6.4.10); what is left by the trapezoidal rule and its first correction. */
static inline double polygamma_of(double n, double x) {
  if (n < 0 || n != floor(n)) return NAN;
  if (n == 0) return psi(x);
  if (x <= 0 && x == floor(x)) return fmod(n, 2) == 1 ? INFINITY : -INFINITY;
  double sum = 0;
  int k = 0;
  for (; k < 200 || x + k < 20; ++k) sum += pow(x + k, -(n + 1));
  const double y = x + k;
  sum += pow(y, -n) / n + pow(y, -(n + 1)) / 2 + (n + 1) * pow(y, -(n + 2)) / 12;
  return tgamma(n + 1) * sum * (fmod(n, 2) == 1 ? 1 : -1);
}

/* The power series (9.6.10). */
static inline double bessel_i(int order, double x) {
  double term = order == 0 ? 1 : x / 2, sum = term;
  for (int k = 1; k < 500 && fabs(term) > fabs(sum) * 1e-18; ++k) {
    term *= x * x / (4. * k * (k + order));
    sum += term;
  }
  return sum;
}

static inline int64_t whole_gcd(int64_t a, int64_t b) {
  uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
  while (y != 0) {
    const uint64_t rest = x % y;
    x = y;
    y = rest;
  }
  return (int64_t)x;
}

static inline int64_t whole_pow(int64_t x, int64_t y) {
  if (y < 0) return x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0;
  uint64_t result = 1, base = (uint64_t)x;
  for (; y != 0; y >>= 1, base *= base) {
    if (y & 1) result *= base;
  }
  return (int64_t)result;
}

/* The quotient rounded towards 0, and what remains of it. */
static inline int64_t whole_quotient(int64_t x, int64_t y) {
  divided_by_zero |= y == 0;
  return y == 0 ? 0 : y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}

static inline int64_t whole_rest(int64_t x, int64_t y) {
  divided_by_zero |= y == 0;
  return y == 0 || y == -1 ? 0 : x % y;
}

static inline int64_t whole_floor_div(int64_t x, int64_t y) {
  const int64_t rest = whole_rest(x, y);
  return whole_quotient(x, y) - (rest != 0 && (rest < 0) != (y < 0));
}

static inline int64_t whole_remainder(int64_t x, int64_t y) {
  const int64_t rest = whole_rest(x, y);
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

#endif
