// Evaluation with a running bound of the error.
#include "codegen/proof/evaluate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "codegen/expr/differentiate.h"
#include "codegen/proof/special.h"

namespace opweave::codegen {
namespace {

using Op = ElementOp;

long double sign_of(long double x) { return static_cast<long double>((x > 0) - (x < 0)); }

long double unary_value(Op op, long double x) {
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
      return erf_inverse(x);
    default:
      return std::numeric_limits<long double>::quiet_NaN();
  }
}

long double more_unary(Op op, long double x) {
  switch (op) {
    case Op::lgamma:
      return std::lgamma(x);
    case Op::digamma:
      return digamma(x);
    case Op::trigamma:
      return trigamma(x);
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
      return sign_of(x);
    case Op::square:
      return x * x;
    case Op::relu:
      return x > 0 ? x : 0;
    case Op::isnan:
      return std::isnan(x);
    case Op::isinf:
      return std::isinf(x);
    case Op::isfinite:
      return std::isfinite(x);
    case Op::logical_not:
      return x == 0;
    case Op::to_boolean:
      return x != 0;
    case Op::to_value:
      return x;
    default:
      return unary_value(op, x);
  }
}

long double comparison(Op op, long double x, long double y) {
  switch (op) {
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
    default:
      return x != 0 || y != 0;
  }
}

long double binary_value(Op op, long double x, long double y) {
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
      return std::isnan(x) || x > y ? x : y;
    case Op::minimum:
      return std::isnan(x) || x < y ? x : y;
    case Op::copysign:
      return std::copysign(x, y);
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::equal:
    case Op::not_equal:
    case Op::logical_and:
    case Op::logical_or:
      return comparison(op, x, y);
    default:  // bits: of integers, which have no derivative
      return std::numeric_limits<long double>::quiet_NaN();
  }
}

// What jumps or bends: its value, or which side it is on.
bool is_step(Op op) {
  switch (op) {
    case Op::floor:
    case Op::ceil:
    case Op::round:
    case Op::trunc:
    case Op::floor_div:
    case Op::trunc_div:
      return true;
    default:
      return false;
  }
}

int64_t side(Op op, long double x, long double y) {
  switch (op) {
    case Op::abs:
    case Op::sign:
    case Op::relu:
      return static_cast<int64_t>(sign_of(x));
    case Op::maximum:
    case Op::minimum:
      return x < y;
    case Op::copysign:
      return std::signbit(x) + 2 * std::signbit(y);
    case Op::remainder:
    case Op::fmod:
      return std::llround(std::floor(x / y));
    default:
      return 0;
  }
}

}  // namespace

Evaluated Evaluator::evaluate(const ElementNode& node) {
  if (auto known = done_.find(&node); known != done_.end()) return known->second;
  const Evaluated found = compute(node);
  return done_[&node] = found;
}

void Evaluator::note(int64_t what) { way_ = (way_ ^ static_cast<uint64_t>(what)) * 1099511628211U; }

Evaluated Evaluator::leaf(const ElementNode& node) const {
  switch (node.op) {
    case Op::literal:
      return {node.number, 0};
    case Op::has_value:
      return {point_.given[node.index] ? 1.0L : 0.0L, 0};
    case Op::string_equals:
      return {point_.texts[node.index] == node.text ? 1.0L : 0.0L, 0};
    default:
      break;
  }
  if (node.index == kGradIndex) return {point_.grad, 0};
  if (node.index == kResultIndex) return {point_.result, 0};
  return {point_.arguments[node.index], 0};
}

Evaluated Evaluator::select(const ElementNode& node) {
  const bool chosen = evaluate(node.operand(0)).value != 0;
  note(chosen ? 1 : 2);
  return evaluate(node.operand(chosen ? 1 : 2));
}

Evaluated Evaluator::compute(const ElementNode& node) {
  if (node.operands.empty()) return leaf(node);
  if (node.op == Op::select) return select(node);
  const Evaluated x = evaluate(node.operand(0));
  const bool binary = node.operands.size() == 2;
  const Evaluated y = binary ? evaluate(node.operand(1)) : Evaluated{};
  const auto at = [&](long double a, long double b) {
    return binary ? binary_value(node.op, a, b) : more_unary(node.op, a);
  };
  Evaluated result{at(x.value, y.value), 0};
  if (node.type == ElementType::boolean) {
    note(result.value != 0 ? 3 : 4);
    return result;
  }
  if (is_step(node.op)) {
    note(std::llround(result.value));
    return result;
  }
  if (const int64_t which = side(node.op, x.value, y.value)) note(which);
  if (bounds_ == ErrorBounds::no) return result;
  constexpr long double kEpsilon = std::numeric_limits<long double>::epsilon();
  result.error = 4 * kEpsilon * std::fabs(result.value);
  if (x.error == 0 && y.error == 0) return result;
  for (const long double dx : {x.error, -x.error}) {
    for (const long double dy : {y.error, -y.error})
      result.error += std::fabs(at(x.value + dx, y.value + dy) - result.value);
  }
  return result;
}

}  // namespace opweave::codegen
