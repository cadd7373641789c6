// Special functions by series.
#include "kernels/cpu/pointwise/special_functions.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/cpu/pointwise/integer_math.h"
#include "runtime/core/base/error.h"

namespace opweave::cpu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The asymptotic series in 1/x², for x large enough (Abramowitz and Stegun 6.4.12).
double trigamma_asymptotic(double x) {
  constexpr double coefficients[] = {1.0 / 6,  -1.0 / 30,       1.0 / 42, -1.0 / 30,
                                     5.0 / 66, -691.0 / 2730.0, 7.0 / 6};
  const double z = 1 / (x * x);
  double sum = 0;
  for (int i = 6; i >= 0; --i) sum = (sum + coefficients[i]) * z;
  return (1 + sum) / x + 0.5 * z;
}

// log x plus the asymptotic series in 1/x², for x large enough.
double digamma_asymptotic(double x) {
  constexpr double coefficients[] = {-1.0 / 12,  1.0 / 120,     -1.0 / 252, 1.0 / 240,
                                     -1.0 / 132, 691.0 / 32760, -1.0 / 12};
  const double z = 1 / (x * x);
  double sum = 0;
  for (int i = 6; i >= 0; --i) sum = (sum + coefficients[i]) * z;
  return std::log(x) - 0.5 / x + sum;
}

}  // namespace

double digamma(double x) {
  if (x == 0) return -std::copysign(kInfinity, x);
  if (x == -kInfinity) return kNaN;
  double result = 0;
  if (x < 0) {
    if (x == std::trunc(x)) return kNaN;
    // Reflection: digamma(1 - x) - digamma(x) = pi / tan(pi x).
    const double whole = std::trunc(x);
    result = -std::numbers::pi / std::tan(std::numbers::pi * (x - whole));
    x = 1 - x;
  }
  for (; x < 10; x += 1) result -= 1 / x;
  return result + digamma_asymptotic(x);
}

double trigamma(double x) {
  if (x == -kInfinity) return kNaN;
  if (x <= 0 && x == std::trunc(x)) return kInfinity;
  double result = 0, sign = 1;
  if (x < 0) {
    // Reflection: trigamma(1 - x) + trigamma(x) = (pi / sin(pi x))².
    const double sine = std::sin(std::numbers::pi * (x - std::trunc(x)));
    const double quotient = std::numbers::pi / sine;
    result = quotient * quotient;
    sign = -1;
    x = 1 - x;
  }
  // Two terms by one division.
  for (; x < 10; x += 2) {
    const double a = x * x, b = (x + 1) * (x + 1);
    result += sign * (a + b) / (a * b);
  }
  return result + sign * trigamma_asymptotic(x);
}

namespace {

// The sum of (x / (x + k))^s over k = 0, 1, 2, ..., for x > 0: Hurwitz' zeta without its size. The
// terms themselves, then Euler and Maclaurin from where their terms fall fast.
long double scaled_zeta(long double s, long double x) {
  constexpr long double bernoulli[] = {1.0L / 6,  -1.0L / 30,     1.0L / 42, -1.0L / 30,
                                       5.0L / 66, -691.0L / 2730, 7.0L / 6};
  long double sum = 0, y = x;
  for (; y < 15 + s; ++y) {
    const long double term = std::pow(x / y, s);
    sum += term;
    if (term * (1 + y / (s - 1)) < sum * 1e-21L) return sum;
  }
  const long double last = std::pow(x / y, s);
  sum += last * (y / (s - 1) + 0.5L);
  long double factor = last * s / (2 * y);  // s (s + 1) … / (2j)! y^-(2j - 1)
  for (int j = 1; j <= 7; ++j) {
    sum += bernoulli[j - 1] * factor;
    factor *= (s + 2 * j - 1) / (2 * j + 1) * (s + 2 * j) / (2 * j + 2) / (y * y);
  }
  return sum;
}

// n! times the sum of 1 / (x + k)^(n + 1), for x > 0. Neither factor need have a place alone.
long double polygamma_size(long double n, long double x) {
  const long double s = n + 1;
  const long double factor = n < 1000 && std::fabs(s * std::log(x)) < 10000
                                 ? std::tgamma(s) * std::pow(x, -s)
                                 : std::exp(std::lgamma(s) - s * std::log(x));
  return factor * scaled_zeta(s, x);
}

// The same where doubles have a place for all powers and factors, by multiplication.
constexpr int kMostUsual = 17;

double power(double x, int n) {
  double result = n % 2 == 0 ? 1 : x;
  while (n >>= 1) {
    x *= x;
    if (n % 2 != 0) result *= x;
  }
  return result;
}

double usual_polygamma(int n, double x) {
  constexpr double bernoulli[] = {1.0 / 6,  -1.0 / 30,     1.0 / 42, -1.0 / 30,
                                  5.0 / 66, -691.0 / 2730, 7.0 / 6};
  const int s = n + 1;
  double sum = 0, y = x;
  // Two terms by one division.
  for (; y < 8 + 2 * s; y += 2) {
    const double a = power(y, s), b = power(y + 1, s);
    sum += (a + b) / (a * b);
  }
  const double z = 1 / (y * y);
  double tail = 1.0 / n + 0.5 / y, factor = s / 2.0 * z;
  for (int j = 1; j <= 7; ++j) {
    tail += bernoulli[j - 1] * factor;
    factor *= (s + 2.0 * j - 1) * (s + 2.0 * j) / ((2 * j + 1) * (2 * j + 2)) * z;
  }
  sum += tail / power(y, n);
  double factorial = 1;
  for (int i = 2; i <= n; ++i) factorial *= i;
  return n % 2 == 0 ? -factorial * sum : factorial * sum;
}

}  // namespace

double polygamma(double n, double x) {
  if (n >= 2 && n <= kMostUsual && x > 1e-10 && x < 1e10 && n == std::trunc(n)) [[likely]]
    return usual_polygamma(static_cast<int>(n), x);
  if (!(n >= 0) || n != std::trunc(n) || n == kInfinity || std::isnan(x)) return kNaN;
  if (n == 0) return digamma(x);
  if (n == 1) return trigamma(x);
  const double sign = std::fmod(n, 2) == 0 ? -1 : 1;
  if (x <= 0 && x == std::trunc(x)) return sign * kInfinity;
  if (x == kInfinity) return sign * 0.0;
  if (x > 0) return static_cast<double>(sign * polygamma_size(n, x));
  // The sum's terms above zero; of those below it all that there could be, but those beyond x.
  // Exact also where x is so small that x + 1 is 1.
  const long double whole = std::ceil(-x), below = -x - (whole - 1), above = 1 - below;
  const long double mirrored = polygamma_size(n, below) - polygamma_size(n, below + whole);
  return static_cast<double>(sign * (polygamma_size(n, above) + sign * mirrored));
}

namespace {

// I_v of v = 0 or 1 at a size x, in two ways; each exact to the last digits on its side of this.
constexpr double kBesselBorder = 20;

// The power series in x²/4, whose terms 1 / (k! (k + v)!) have one sign: nothing cancels.
constexpr int kBesselTerms = 46;
template <int v>
constexpr std::array<double, kBesselTerms> bessel_series() {
  std::array<double, kBesselTerms> terms{1};
  long double term = 1;
  for (int k = 1; k < kBesselTerms; ++k) terms[k] = static_cast<double>(term /= k * (k + v));
  return terms;
}

// The asymptotic series of sqrt(2 pi x) exp(-x) I_v(x) in 1/x (Abramowitz and Stegun 9.7.1).
constexpr int kBesselTailTerms = 30;
template <int v>
constexpr std::array<double, kBesselTailTerms> bessel_tail_series() {
  std::array<double, kBesselTailTerms> terms{1};
  long double term = 1;
  for (int k = 1; k < kBesselTailTerms; ++k) {
    const int odd = 2 * k - 1;
    terms[k] = static_cast<double>(term *= (odd * odd - 4.0L * v * v) / (8.0L * k));
  }
  return terms;
}

// Even and odd powers apart, which the processor adds at the same time.
template <size_t n>
double polynomial(const std::array<double, n>& terms, double x) {
  static_assert(n % 2 == 0);
  const double square = x * x;
  double even = 0, odd = 0;
  for (int k = n - 2; k >= 0; k -= 2) {
    even = even * square + terms[k];
    odd = odd * square + terms[k + 1];
  }
  return even + odd * x;
}

template <int v>
double near_bessel(double x) {
  static constexpr auto terms = bessel_series<v>();
  return (v == 0 ? 1 : x / 2) * polynomial(terms, x * x / 4);
}

template <int v>
double far_scaled_bessel(double x) {
  static constexpr auto terms = bessel_tail_series<v>();
  // A root for each factor: their product may have no place.
  constexpr double root = 2.5066282746310002;  // sqrt(2 pi)
  return polynomial(terms, 1 / x) / (root * std::sqrt(x));
}

template <int v>
double bessel(double x) {
  const double size = std::fabs(x);
  if (size < kBesselBorder) return near_bessel<v>(x);
  if (size == kInfinity) return v == 0 ? size : x;
  // In halves: the exponential has no place a little before the function has none.
  const double half = std::exp(size / 2);
  const double result = half * far_scaled_bessel<v>(size) * half;
  return v == 0 ? result : std::copysign(result, x);
}

template <int v>
double scaled_bessel(double x) {
  const double size = std::fabs(x);
  if (size < kBesselBorder) return std::exp(-size) * near_bessel<v>(x);
  const double result = far_scaled_bessel<v>(size);
  return v == 0 ? result : std::copysign(result, x);
}

}  // namespace

double i0(double x) { return bessel<0>(x); }
double i1(double x) { return bessel<1>(x); }
double i0e(double x) { return scaled_bessel<0>(x); }
double i1e(double x) { return scaled_bessel<1>(x); }

double lgamma(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}

namespace plain {
void throw_zero_division() { OW_THROW(ErrorKind::kRuntime, "ZeroDivisionError"); }
}  // namespace plain

}  // namespace opweave::cpu
