// A plain evaluator of pointwise trees, the reference for tests.
#pragma once

#include <cmath>
#include <functional>
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

inline double digamma_of(double x) {
  double h = 1e-5;
  return (std::lgamma(x + h) - std::lgamma(x - h)) / (2 * h);
}

inline double trigamma_of(double x) {
  double h = 1e-4;
  return (std::lgamma(x + h) - 2 * std::lgamma(x) + std::lgamma(x - h)) / (h * h);
}

inline double erfinv_of(double y) {
  double x = 0;
  for (int i = 0; i < 60; ++i) {
    x -= (std::erf(x) - y) / (1.1283791670955126 * std::exp(-x * x));
  }
  return x;
}

inline double unary_value(ElementOp op, double x) {
  using Op = ElementOp;
  switch (op) {
    case Op::negate:
      return -x;
    case Op::exp:
      return std::exp(x);
    case Op::exp2:
      return std::exp2(x);
    case Op::expm1:
      return std::expm1(x);
    case Op::log:
      return std::log(x);
    case Op::log2:
      return std::log2(x);
    case Op::log10:
      return std::log10(x);
    case Op::log1p:
      return std::log1p(x);
    case Op::sqrt:
      return std::sqrt(x);
    case Op::rsqrt:
      return 1 / std::sqrt(x);
    case Op::sin:
      return std::sin(x);
    case Op::cos:
      return std::cos(x);
    case Op::tan:
      return std::tan(x);
    case Op::asin:
      return std::asin(x);
    case Op::acos:
      return std::acos(x);
    case Op::atan:
      return std::atan(x);
    case Op::sinh:
      return std::sinh(x);
    case Op::cosh:
      return std::cosh(x);
    case Op::tanh:
      return std::tanh(x);
    case Op::asinh:
      return std::asinh(x);
    case Op::acosh:
      return std::acosh(x);
    case Op::atanh:
      return std::atanh(x);
    case Op::erf:
      return std::erf(x);
    case Op::erfc:
      return std::erfc(x);
    case Op::erfinv:
      return erfinv_of(x);
    case Op::lgamma:
      return std::lgamma(x);
    case Op::digamma:
      return digamma_of(x);
    case Op::trigamma:
      return trigamma_of(x);
    case Op::sigmoid:
      return 1 / (1 + std::exp(-x));
    case Op::reciprocal:
      return 1 / x;
    case Op::floor:
      return std::floor(x);
    case Op::ceil:
      return std::ceil(x);
    case Op::round:
      return std::nearbyint(x);
    case Op::trunc:
      return std::trunc(x);
    case Op::abs:
      return std::fabs(x);
    case Op::sign:
      return (x > 0) - (x < 0);
    case Op::square:
      return x * x;
    case Op::relu:
      return x > 0 ? x : 0;
    case Op::logical_not:
      return x == 0;
    case Op::to_boolean:
      return x != 0;
    case Op::to_value:
      return x;
    default:
      throw std::logic_error("not unary");
  }
}

inline double binary_value(ElementOp op, double x, double y) {
  using Op = ElementOp;
  switch (op) {
    case Op::add:
      return x + y;
    case Op::subtract:
      return x - y;
    case Op::multiply:
      return x * y;
    case Op::divide:
      return x / y;
    case Op::remainder:
      return x - std::floor(x / y) * y;
    case Op::less:
      return x < y;
    case Op::less_equal:
      return x <= y;
    case Op::greater:
      return x > y;
    case Op::greater_equal:
      return x >= y;
    case Op::equal:
      return x == y;
    case Op::not_equal:
      return x != y;
    case Op::logical_and:
      return x != 0 && y != 0;
    case Op::logical_or:
      return x != 0 || y != 0;
    case Op::pow:
      return std::pow(x, y);
    case Op::atan2:
      return std::atan2(x, y);
    case Op::hypot:
      return std::hypot(x, y);
    case Op::fmod:
      return std::fmod(x, y);
    case Op::floor_div:
      return std::floor(x / y);
    case Op::trunc_div:
      return std::trunc(x / y);
    case Op::maximum:
      return std::fmax(x, y);
    case Op::minimum:
      return std::fmin(x, y);
    case Op::copysign:
      return std::copysign(x, y);
    default:
      throw std::logic_error("not binary");
  }
}

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
  if (node.operands.size() == 1) return unary_value(node.op, operand(0));
  return binary_value(node.op, operand(0), operand(1));
}

}  // namespace opweave::codegen
