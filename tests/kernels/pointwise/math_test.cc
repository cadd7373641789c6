// Every function of the vocabulary, on every instruction set, against the C++ library in a wider
// type: over the whole range of floats, and over doubles of all sizes.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include "kernels/cpu/pointwise/special_functions.h"
#include "tests/kernels/pointwise/math_shard.h"
#include "tests/kernels/pointwise/support.h"

namespace opweave {
namespace {

using Wide = long double;

struct Function {
  const char* name;
  Wide (*reference)(Wide);
  double float_ulps;   // the largest error allowed
  double double_ulps;  // 0: not tested in double, where the reference is no better
};

// The C++ library's; where exp(|x|) has no place, the first terms of the asymptotic series.
Wide scaled_bessel(int order, Wide x) {
  const Wide size = std::fabs(x), sign = order % 2 != 0 && x < 0 ? -1 : 1;
  if (size <= 1000) return sign * std::exp(-size) * std::cyl_bessel_i(Wide(order), size);
  Wide sum = 1, term = 1;
  for (int k = 1; k < 12; ++k) {
    const int odd = 2 * k - 1;
    sum += term *= (odd * odd - Wide(4) * order * order) / (8 * k * size);
  }
  return sign * sum / std::sqrt(2 * std::numbers::pi_v<Wide> * size);
}

Wide bessel(int order, Wide x) {
  if (std::isnan(x)) return x;
  const Wide sign = order % 2 != 0 && x < 0 ? -1 : 1;
  if (std::fabs(x) > 1000) return sign * std::numeric_limits<Wide>::infinity();
  return sign * std::cyl_bessel_i(Wide(order), std::fabs(x));
}

// By Halley's method from an elementary approximation (S. Winitzki) on.
Wide inverse_erf(Wide y) {
  const Wide size = std::fabs(y);
  if (!(size < 1)) return size == 1 ? y * std::numeric_limits<Wide>::infinity() : std::nan("");
  if (size < 1e-10L) return y * std::sqrt(std::numbers::pi_v<Wide>) / 2;
  constexpr Wide a = 0.147L;
  const Wide log_term = std::log1p(-y * y), t = 2 / (std::numbers::pi_v<Wide> * a) + log_term / 2;
  Wide x = std::copysign(std::sqrt(std::sqrt(t * t - log_term / a) - t), y);
  for (int i = 0; i < 4; ++i) {
    // Near 1 the error of erf is that of its complement, which keeps its digits.
    const Wide excess = (1 - size) - std::erfc(std::fabs(x));
    const Wide error = size < 0.5L ? std::erf(x) - y : (y > 0 ? excess : -excess);
    const Wide step = error / (2 * std::numbers::inv_sqrtpi_v<Wide> * std::exp(-x * x));
    x -= step / (1 + x * step);
  }
  return x;
}

const Function kFunctions[] = {
    {"exp", [](Wide x) { return std::exp(x); }, 2, 1},
    {"exp2", [](Wide x) { return std::exp2(x); }, 1, 1},
    {"expm1", [](Wide x) { return std::expm1(x); }, 1.1, 1.1},
    {"log", [](Wide x) { return std::log(x); }, 1.5, 1},
    {"log2", [](Wide x) { return std::log2(x); }, 1, 1},
    {"log10", [](Wide x) { return std::log10(x); }, 1, 1},
    {"log1p", [](Wide x) { return std::log1p(x); }, 1.5, 1.1},
    {"sqrt", [](Wide x) { return std::sqrt(x); }, 0.51, 0.51},
    {"rsqrt", [](Wide x) { return 1 / std::sqrt(x); }, 1.5, 1.5},
    {"reciprocal", [](Wide x) { return 1 / x; }, 0.51, 0.51},
    {"sin", [](Wide x) { return std::sin(x); }, 2, 1},
    {"cos", [](Wide x) { return std::cos(x); }, 2.2, 1},
    {"tan", [](Wide x) { return std::tan(x); }, 1.1, 1.1},
    {"asin", [](Wide x) { return std::asin(x); }, 1, 1},
    {"acos", [](Wide x) { return std::acos(x); }, 1, 1},
    {"atan", [](Wide x) { return std::atan(x); }, 1, 1},
    {"sinh", [](Wide x) { return std::sinh(x); }, 4, 2},
    {"cosh", [](Wide x) { return std::cosh(x); }, 4, 2},
    {"tanh", [](Wide x) { return std::tanh(x); }, 4.25, 1.1},
    {"asinh", [](Wide x) { return std::asinh(x); }, 1.5, 1.1},
    {"acosh", [](Wide x) { return std::acosh(x); }, 1.5, 1.1},
    {"atanh", [](Wide x) { return std::atanh(x); }, 1.1, 1.1},
    {"erf", [](Wide x) { return std::erf(x); }, 4.75, 1},
    {"erfc", [](Wide x) { return std::erfc(x); }, 2, 1.5},
    {"lgamma", [](Wide x) { return std::lgamma(x); }, 1, 4},
    {"sigmoid", [](Wide x) { return 1 / (1 + std::exp(-x)); }, 3.5, 2.5},
    {"erfinv", [](Wide x) { return inverse_erf(x); }, 4, 4},
    {"digamma", [](Wide x) { return Wide(cpu::digamma(static_cast<double>(x))); }, 0.51, 0},
    {"i0", [](Wide x) { return bessel(0, x); }, 0.51, 12},
    {"i1", [](Wide x) { return bessel(1, x); }, 12, 12},
    {"i0e", [](Wide x) { return scaled_bessel(0, x); }, 0.51, 12},
    {"i1e", [](Wide x) { return scaled_bessel(1, x); }, 10, 12},
    {"trigamma", [](Wide x) { return Wide(cpu::trigamma(static_cast<double>(x))); }, 0.51, 0},
};

// The distance in units of the last place of T at the wanted value.
template <class T>
double error_in_ulps(T got, Wide wanted) {
  const T rounded = static_cast<T>(wanted);
  if (std::isnan(rounded) || std::isnan(got))
    return std::isnan(rounded) && std::isnan(got) ? 0 : 1e9;
  if (std::isinf(rounded) || std::isinf(got)) return rounded == got ? 0 : 1e9;
  using Limits = std::numeric_limits<T>;
  const int exponent = wanted == 0 ? Limits::min_exponent - 1
                                   : std::max(std::ilogb(wanted), Limits::min_exponent - 1);
  return static_cast<double>(std::fabs(got - wanted) /
                             std::ldexp(Wide(1), exponent - Limits::digits + 1));
}

template <class T>
void check_function(const Function& f, ScalarType dtype, const std::vector<T>& inputs,
                    double allowed) {
  std::vector<T> results(inputs.size());
  const void* const data[] = {inputs.data()};
  cpu::math_loops(f.name)->of(dtype)(results.data(), data, nullptr,
                                     static_cast<int64_t>(inputs.size()));
  double worst = 0;
  T at = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const double error = error_in_ulps(results[i], f.reference(inputs[i]));
    if (error > worst) {
      worst = error;
      at = inputs[i];
    }
  }
  INFO(std::string(f.name), " of ", static_cast<double>(at), " is off by ", worst, " ulp");
  CHECK(worst <= allowed);
}

std::vector<float> floats_of_all_sizes() {
  std::vector<float> values;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 60013) {
    const auto pattern = static_cast<uint32_t>(bits);
    float value;
    std::memcpy(&value, &pattern, sizeof(value));
    values.push_back(value);
  }
  for (float x = -12; x < 12; x += 0.00097f) values.push_back(x);
  return values;
}

std::vector<double> doubles_of_all_sizes() {
  std::mt19937_64 generator(1);
  std::vector<double> values;
  for (int i = 0; i < 20000; ++i) {
    const uint64_t bits = generator();
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    values.push_back(value);
    values.push_back(std::ldexp(static_cast<double>(generator()), static_cast<int>(i % 24) - 76));
  }
  return values;
}

template <class T>
void add_special_values(std::vector<T>& values) {
  using Limits = std::numeric_limits<T>;
  for (T x : {T(0), Limits::infinity(), Limits::max(), Limits::min(), Limits::denorm_min(), T(1),
              T(0.5), T(2), T(3), T(88.72284), T(-103.97), T(709.78), T(1e30), T(4.03e36)}) {
    values.push_back(x);
    values.push_back(-x);
  }
  values.push_back(Limits::quiet_NaN());
}

TEST_CASE("functions of one float") {
  std::vector<float> inputs = floats_of_all_sizes();
  add_special_values(inputs);
  test::for_each_target([&](const std::string& target) {
    INFO(target);
    for (const Function& f : kFunctions) check_function(f, kFloat, inputs, f.float_ulps);
  });
}

// 1 - y * y, their derivatives' factor, must not change its sign.
TEST_CASE("tanh and erf stay within 1 and reach it") {
  std::vector<float> inputs = floats_of_all_sizes();
  for (float x = 2; x < 12; x = std::nextafter(x, 20.0f) + 1e-5f) inputs.push_back(x);
  std::vector<float> results(inputs.size());
  const void* const data[] = {inputs.data()};
  test::for_each_target([&](const std::string& target) {
    for (const char* name : {"tanh", "erf"}) {
      cpu::math_loops(name)->of(kFloat)(results.data(), data, nullptr,
                                        static_cast<int64_t>(inputs.size()));
      int wrong = 0;
      for (size_t i = 0; i < inputs.size(); ++i) {
        const float size = std::fabs(results[i]);
        wrong += std::isnan(inputs[i]) ? !std::isnan(size)
                                       : size > 1 || (std::fabs(inputs[i]) > 9.1f && size != 1);
      }
      INFO(target, ": ", name);
      CHECK(wrong == 0);
    }
  });
}

TEST_CASE("functions of one double") {
  std::vector<double> inputs = doubles_of_all_sizes();
  add_special_values(inputs);
  test::for_each_target([&](const std::string& target) {
    INFO(target);
    for (const Function& f : kFunctions) {
      if (f.double_ulps > 0) check_function(f, kDouble, inputs, f.double_ulps);
    }
  });
}

TEST_CASE("digamma and trigamma themselves") {
  CHECK(cpu::digamma(1) == doctest::Approx(-0.57721566490153286).epsilon(1e-15));
  CHECK(cpu::digamma(0.5) == doctest::Approx(-1.9635100260214235).epsilon(1e-15));
  CHECK(cpu::digamma(-2.5) == doctest::Approx(1.1031566406452432).epsilon(1e-13));
  CHECK(cpu::digamma(0.0) == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(cpu::digamma(-3)));
  CHECK(cpu::trigamma(1) == doctest::Approx(1.6449340668482264).epsilon(1e-15));
  CHECK(cpu::trigamma(0.5) == doctest::Approx(4.934802200544679).epsilon(1e-15));
  CHECK(cpu::trigamma(-2.5) == doctest::Approx(9.539246644989124).epsilon(1e-12));
  CHECK(cpu::trigamma(-3) == std::numeric_limits<double>::infinity());
}

template <class T>
std::vector<T> conjugates(ScalarType dtype, const std::vector<T>& inputs) {
  std::vector<T> results(inputs.size());
  const void* const data[] = {inputs.data()};
  cpu::math_loops("conj")->of(dtype)(results.data(), data, nullptr,
                                     static_cast<int64_t>(inputs.size()));
  return results;
}

TEST_CASE("a conjugate has the other imaginary part, and real numbers are their own") {
  test::for_each_target([](const std::string& name) {
    CAPTURE(name);
    std::vector<ComplexFloat> numbers;
    for (int i = 0; i < 100; ++i) numbers.emplace_back(i, i % 3 - 1);
    const std::vector<ComplexFloat> found = conjugates(kComplexFloat, numbers);
    for (size_t i = 0; i < numbers.size(); ++i) CHECK(found[i] == std::conj(numbers[i]));
    CHECK(std::signbit(found[1].imag()));  // of 0 it is -0
    const std::vector<float> floats{-1.5f, 0, 2}, negative{-0.0f};
    CHECK(conjugates(kFloat, floats) == floats);
    CHECK(std::signbit(conjugates(kFloat, negative)[0]));
    const std::vector<int64_t> whole{-3, 0, 7};
    CHECK(conjugates(kLong, whole) == whole);
  });
}

}  // namespace
}  // namespace opweave
