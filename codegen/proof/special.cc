// Recurrence up to where the asymptotic series is exact to the last digit, reflection below zero.
#include "codegen/proof/special.h"

#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>

namespace opweave::codegen {
namespace {

constexpr long double kPi = std::numbers::pi_v<long double>;
constexpr long double kSeriesFrom = 20;
// Bernoulli numbers B2, B4, ...
constexpr long double kBernoulli[] = {1.0L / 6,       -1.0L / 30,      1.0L / 42, -1.0L / 30,
                                      5.0L / 66,      -691.0L / 2730,  7.0L / 6,  -3617.0L / 510,
                                      43867.0L / 798, -174611.0L / 330};

bool is_pole(long double x) { return x <= 0 && std::floor(x) == x; }

}  // namespace

long double digamma(long double x) {
  if (is_pole(x)) return std::numeric_limits<long double>::quiet_NaN();
  if (x < 0) return digamma(1 - x) - kPi / std::tan(kPi * x);
  long double sum = 0;
  for (; x < kSeriesFrom; ++x) sum -= 1 / x;
  long double power = 1;
  sum += std::log(x) - 1 / (2 * x);
  for (int n = 1; n <= static_cast<int>(std::size(kBernoulli)); ++n) {
    power /= x * x;
    sum -= kBernoulli[n - 1] / (2 * n) * power;
  }
  return sum;
}

long double trigamma(long double x) {
  if (is_pole(x)) return std::numeric_limits<long double>::infinity();
  if (x < 0) {
    const long double sine = std::sin(kPi * x);
    return kPi * kPi / (sine * sine) - trigamma(1 - x);
  }
  long double sum = 0;
  for (; x < kSeriesFrom; ++x) sum += 1 / (x * x);
  sum += 1 / x + 1 / (2 * x * x);
  long double power = 1 / x;
  for (const long double bernoulli : kBernoulli) {
    power /= x * x;
    sum += bernoulli * power;
  }
  return sum;
}

// n! times the sum of 1 / (x + k)^(n + 1), by Euler and Maclaurin from where their terms fall fast.
static long double polygamma_above_zero(long double n, long double x) {
  const long double s = n + 1;
  long double sum = 0;
  for (; x < kSeriesFrom + s; ++x) {
    const long double term = std::pow(x, -s);
    sum += term;
    // Each is at most a share of the one before it: what follows adds less than this.
    if (term * (1 + x / n) < sum * std::numeric_limits<long double>::epsilon() / 4)
      return std::tgamma(s) * sum;
  }
  sum += std::pow(x, -n) / n + std::pow(x, -s) / 2;
  long double term = s / 2 * std::pow(x, -s - 1);  // s (s + 1) … / (2j)! x^-(s + 2j - 1)
  for (int j = 1; j <= static_cast<int>(std::size(kBernoulli)); ++j) {
    sum += kBernoulli[j - 1] * term;
    term *= (s + 2 * j - 1) / (2 * j + 1) * (s + 2 * j) / (2 * j + 2) / (x * x);
  }
  return std::tgamma(s) * sum;
}

long double polygamma(long double n, long double x) {
  if (!(n >= 0) || n != std::floor(n)) return std::numeric_limits<long double>::quiet_NaN();
  if (n == 0) return digamma(x);
  if (n == 1) return trigamma(x);
  const long double sign = std::fmod(n, 2) == 0 ? -1 : 1;
  if (is_pole(x)) return sign * std::numeric_limits<long double>::infinity();
  if (x > 0) return sign * polygamma_above_zero(n, x);
  // 1 / (x + k)^(n + 1) with x + k below zero, and above it.
  const long double whole = std::ceil(-x), above = x + whole, below = 1 - above;
  return sign * (polygamma_above_zero(n, above) +
                 sign * (polygamma_above_zero(n, below) - polygamma_above_zero(n, below + whole)));
}

long double erf_inverse(long double y) {
  if (!(std::fabs(y) < 1)) {
    const long double infinity = std::numeric_limits<long double>::infinity();
    return std::fabs(y) == 1 ? std::copysign(infinity, y)
                             : std::numeric_limits<long double>::quiet_NaN();
  }
  // A few digits (Winitzki), then Newton.
  const long double a = 0.147L, log = std::log(1 - y * y), b = 2 / (kPi * a) + log / 2;
  long double x = std::copysign(std::sqrt(std::sqrt(b * b - log / a) - b), y);
  const long double scale = std::sqrt(kPi) / 2;
  for (int i = 0; i < 6; ++i) x -= scale * (std::erf(x) - y) * std::exp(x * x);
  return x;
}

long double bessel_i(int order, long double x) {
  // The library gives up a little later, with an exception.
  if (!(std::fabs(x) <= kLargestOfBessel)) return std::numeric_limits<long double>::quiet_NaN();
  const long double size = std::cyl_bessel_i(static_cast<long double>(order), std::fabs(x));
  return order % 2 != 0 && x < 0 ? -size : size;
}

}  // namespace opweave::codegen
