// A plain evaluator of pointwise trees, the reference for tests.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <vector>

#include "codegen/expr/differentiate.h"
#include "codegen/expr/element.h"

namespace opweave::codegen {

struct Values {
  std::vector<double> arguments;
  double grad = 1;
  double result = 0;
};

// The table's values in double, with plain definitions of what the C library lacks.
namespace plain {

inline double digamma(double x) {
  double h = 1e-5;
  return (std::lgamma(x + h) - std::lgamma(x - h)) / (2 * h);
}

inline double trigamma(double x) {
  double h = 1e-4;
  return (std::lgamma(x + h) - 2 * std::lgamma(x) + std::lgamma(x - h)) / (h * h);
}

// The sum of its terms, and the integral of what is left.
inline double polygamma(double n, double x) {
  if (n == 0) return digamma(x);
  const int count = 20'000;
  double sum = std::pow(x + count - 0.5, -n) / n;
  for (int k = count - 1; k >= 0; --k) sum += std::pow(x + k, -n - 1);
  return (std::fmod(n, 2) == 0 ? -1 : 1) * std::tgamma(n + 1) * sum;
}

inline double erf_inverse(double y) {
  double x = 0;
  for (int i = 0; i < 60; ++i) {
    x -= (std::erf(x) - y) / (1.1283791670955126 * std::exp(-x * x));
  }
  return x;
}

// The terms of its series, of orders 0 and 1.
inline double bessel_i(int order, double x) {
  double term = order == 0 ? 1 : x / 2, sum = 0;
  for (int k = 1; k < 200; ++k) {
    sum += term;
    term *= x * x / 4 / (k * (k + order));
  }
  return sum;
}

inline double sign_of(double x) { return (x > 0) - (x < 0); }

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

inline double round_to_even(double x) { return std::nearbyint(x); }

inline double value_of(ElementOp op, double x, [[maybe_unused]] double y) {
  using namespace std;
  switch (op) {
#define OPWEAVE_INTRINSIC(op, kind, arity, name, symbol, target, math, domain, value, ...) \
  case ElementOp::op:                                                                      \
    return value;
#include "codegen/expr/intrinsics.def"
    case ElementOp::to_boolean:
      return x != 0;
    case ElementOp::to_value:
      return x;
    default:
      throw std::logic_error("no function of numbers");
  }
}

}  // namespace plain

inline double evaluate(const ElementNode& node, const Values& values) {
  auto operand = [&](size_t i) { return evaluate(node.operand(i), values); };
  switch (node.op) {
    case ElementOp::argument:
      if (node.index == kGradIndex) return values.grad;
      return node.index == kResultIndex ? values.result : values.arguments.at(node.index);
    case ElementOp::literal:
      return node.number;
    case ElementOp::select:
      return operand(0) != 0 ? operand(1) : operand(2);
    default:
      break;
  }
  const bool binary = node.operands.size() == 2;
  return plain::value_of(node.op, operand(0), binary ? operand(1) : 0);
}

}  // namespace opweave::codegen
