// Functions of two numbers and of integers, on every instruction set, over all pairs of telling
// values.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "runtime/core/base/error.h"
#include "tests/kernels/pointwise/math_shard.h"
#include "tests/kernels/pointwise/support.h"

namespace opweave {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double python_remainder(double a, double b) {
  const double r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
double python_floor_div(double a, double b) {
  if (b == 0) return a / b;
  const double r = std::fmod(a, b);
  double q = (a - r) / b;
  if (r != 0 && (r < 0) != (b < 0)) q -= 1;
  if (q == 0) return std::copysign(0.0, a / b);
  const double f = std::floor(q);
  return q - f > 0.5 ? f + 1 : f;
}
struct Function {
  const char* name;
  double (*reference)(double, double);
  double tolerance;
};
const Function kFunctions[] = {
    {"pow", [](double a, double b) { return std::pow(a, b); }, 1e-15},
    {"fmod", [](double a, double b) { return std::fmod(a, b); }, 0},
    {"remainder", python_remainder, 0},
    {"floor_div", python_floor_div, 0},
    {"trunc_div", [](double a, double b) { return std::trunc(a / b); }, 0},
    {"atan2", [](double a, double b) { return std::atan2(a, b); }, 1e-15},
    {"hypot", [](double a, double b) { return std::hypot(a, b); }, 1e-15},
    {"copysign", [](double a, double b) { return std::copysign(a, b); }, 0},
    {"div", [](double a, double b) { return a / b; }, 0},
    {"max",
     [](double a, double b) { return std::isnan(a) || std::isnan(b) ? kNaN : std::max(a, b); }, 0},
    {"min",
     [](double a, double b) { return std::isnan(a) || std::isnan(b) ? kNaN : std::min(a, b); }, 0},
};

bool same(double got, double wanted, double tolerance) {
  if (std::isnan(wanted)) return std::isnan(got);
  if (std::isinf(wanted) || wanted == 0) return got == wanted;
  return std::fabs(got - wanted) <= tolerance * std::fabs(wanted);
}

// All pairs; each exponent of pow also alone, since it is looked at as a whole.
template <class T>
void check_pairs(const Function& f, ScalarType dtype, const std::vector<double>& values,
                 double tolerance) {
  for (double second : values) {
    std::vector<T> a(values.begin(), values.end()), b(values.size(), static_cast<T>(second));
    std::vector<T> results(values.size());
    const void* const data[] = {a.data(), b.data()};
    cpu::math_loops(f.name)->of(dtype)(results.data(), data, nullptr,
                                       static_cast<int64_t>(results.size()));
    for (size_t i = 0; i < results.size(); ++i) {
      const auto wanted = static_cast<T>(f.reference(a[i], b[i]));
      INFO(std::string(f.name), "(", static_cast<double>(a[i]), ", ", static_cast<double>(b[i]),
           ") = ", static_cast<double>(results[i]), ", not ", static_cast<double>(wanted));
      CHECK(same(results[i], wanted, tolerance));
    }
  }
}

TEST_CASE("functions of two floats") {
  const std::vector<double> values = {0.0,  -0.0, 1,    -1,    0.5,  -0.5,  2,    -2,
                                      3,    -3,   2.5,  7,     -7,   10.25, 1e-3, 100,
                                      -100, 1e10, kInf, -kInf, kNaN, 0.1,   5.5,  -5.5};
  test::for_each_target([&](const std::string& target) {
    INFO(target);
    for (const Function& f : kFunctions) {
      check_pairs<double>(f, kDouble, values, f.tolerance);
      // In float fewer digits; floor_div and its like are exact on these values all the same.
      if (f.tolerance > 0) check_pairs<float>(f, kFloat, values, 3e-7);
    }
  });
}

struct Comparison {
  const char* name;
  bool (*reference)(double, double);
};
const Comparison kComparisons[] = {
    {"lt", [](double a, double b) { return a < b; }},
    {"le", [](double a, double b) { return a <= b; }},
    {"eq", [](double a, double b) { return a == b; }},
    {"ne", [](double a, double b) { return a != b; }},
};

template <class T>
void check_comparisons(ScalarType dtype) {
  const T values[] = {T(0), T(1), T(2), T(kNaN), T(-1), T(kInf)};
  for (T a : values) {
    for (T b : values) {
      const void* const data[] = {&a, &b};
      for (const Comparison& c : kComparisons) {
        uint8_t result = 2;
        cpu::math_loops(c.name)->of(dtype)(&result, data, nullptr, 1);
        INFO(std::string(c.name), "(", static_cast<double>(a), ", ", static_cast<double>(b), ")");
        CHECK(result == c.reference(a, b));
      }
    }
  }
}

TEST_CASE("comparisons, with NaN") {
  test::for_each_target([](const std::string& target) {
    INFO(target);
    check_comparisons<float>(kFloat);
    check_comparisons<double>(kDouble);
  });
}

template <class T>
T run(const char* name, T a, T b) {
  T result{};
  const void* const data[] = {&a, &b};
  cpu::math_loops(name)->of(scalar_type_of<T>)(&result, data, nullptr, 1);
  return result;
}

TEST_CASE("division of integers") {
  for (int a = -7; a <= 7; ++a) {
    for (int b = -4; b <= 4; ++b) {
      if (b == 0) continue;
      const auto floored = static_cast<int>(std::floor(static_cast<double>(a) / b));
      CHECK(run<int32_t>("floor_div", a, b) == floored);
      CHECK(run<int32_t>("remainder", a, b) == a - floored * b);
      CHECK(run<int32_t>("trunc_div", a, b) == a / b);
      CHECK(run<int32_t>("fmod", a, b) == a % b);
      CHECK(run<int8_t>("floor_div", static_cast<int8_t>(a), static_cast<int8_t>(b)) == floored);
    }
  }
  constexpr int64_t least = std::numeric_limits<int64_t>::min();
  CHECK(run<int64_t>("floor_div", least, -1) == least);
  CHECK(run<int64_t>("remainder", least, -1) == 0);
  CHECK(run<int64_t>("fmod", least, -1) == 0);
  CHECK(run<uint8_t>("floor_div", 255, 2) == 127);
}

TEST_CASE("division of integers by zero is an error") {
  for (const char* name : {"floor_div", "remainder", "trunc_div", "fmod"}) {
    CHECK_THROWS_WITH_AS(run<int64_t>(name, 1, 0), "ZeroDivisionError", Error);
    CHECK_THROWS_WITH_AS(run<uint8_t>(name, 1, 0), "ZeroDivisionError", Error);
  }
}

TEST_CASE("powers and shifts of integers") {
  CHECK(run<int64_t>("pow", 3, 4) == 81);
  CHECK(run<int64_t>("pow", -2, 3) == -8);
  CHECK(run<int64_t>("pow", 0, 0) == 1);
  CHECK(run<int64_t>("pow", 2, -1) == 0);
  CHECK(run<int64_t>("pow", 1, -5) == 1);
  CHECK(run<int64_t>("pow", -1, -5) == -1);
  CHECK(run<uint8_t>("pow", 2, 8) == 0);
  CHECK(run<int32_t>("shift_left", 1, 4) == 16);
  CHECK(run<int32_t>("shift_left", 1, 32) == 0);
  CHECK(run<int32_t>("shift_right", -8, 1) == -4);
  CHECK(run<int32_t>("shift_right", -8, 99) == -1);
  CHECK(run<int32_t>("shift_right", 8, 99) == 0);
  CHECK(run<int32_t>("gcd", -12, 18) == 6);
  CHECK(run<bool>("gcd", false, true));
  CHECK_FALSE(run<bool>("gcd", false, false));
}

TEST_CASE("numbers of an expression that have no place in an integer wrap") {
  CHECK(run<uint8_t>("less", 5, 0) == 1);
  CHECK(run<uint8_t>("less", 0, 0) == 252);
  CHECK(run<int8_t>("less", -128, 0) == 124);
  CHECK(run<int64_t>("less", -1, 0) == -5);
  CHECK(run<uint8_t>("many", 5, 0) == 9);
  CHECK(run<int8_t>("many", 5, 0) == 9);
  CHECK(run<int16_t>("many", 5, 0) == 265);
}

}  // namespace
}  // namespace opweave
