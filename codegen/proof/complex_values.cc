// One visit for each node.
#include "codegen/proof/complex_values.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <unordered_map>

#include "codegen/expr/differentiate.h"

namespace opweave::codegen {
namespace {

using Op = ElementOp;
using Complex = ComplexNumber;

bool is_finite(const Complex& x) { return std::isfinite(x.real()) && std::isfinite(x.imag()); }

Complex truth(bool value) { return value ? 1 : 0; }

// Of two operands; not a number for all others.
Complex value_of(Op op, const Complex& x, const Complex& y) {
  switch (op) {
    case Op::add:
      return x + y;
    case Op::subtract:
      return x - y;
    case Op::multiply:
      return x * y;
    case Op::divide:
      return x / y;
    case Op::equal:
      return truth(x == y);
    case Op::not_equal:
      return truth(x != y);
    case Op::logical_and:
      return truth(x != Complex(0) && y != Complex(0));
    case Op::logical_or:
      return truth(x != Complex(0) || y != Complex(0));
    case Op::pow:
      return y == Complex(0) ? Complex(1) : std::pow(x, y);
    default:
      return std::numeric_limits<long double>::quiet_NaN();
  }
}

// Of angles, and the inverses.
Complex circular(Op op, const Complex& x) {
  switch (op) {
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
    default:
      return std::numeric_limits<long double>::quiet_NaN();
  }
}

Complex value_of(Op op, const Complex& x) {
  constexpr auto kLn2 = std::numbers::ln2_v<long double>, kLn10 = std::numbers::ln10_v<long double>;
  switch (op) {
    case Op::negate:
      return -x;
    case Op::conj:
      return std::conj(x);
    case Op::abs:
      return std::abs(x);
    case Op::square:
      return x * x;
    case Op::reciprocal:
      return Complex(1) / x;
    case Op::sqrt:
      return std::sqrt(x);
    case Op::rsqrt:
      return Complex(1) / std::sqrt(x);
    case Op::exp:
      return std::exp(x);
    case Op::exp2:
      return std::exp(x * kLn2);
    case Op::expm1:
      return std::exp(x) - Complex(1);
    case Op::log:
      return std::log(x);
    case Op::log2:
      return std::log(x) / kLn2;
    case Op::log10:
      return std::log(x) / kLn10;
    case Op::log1p:
      return std::log(Complex(1) + x);
    case Op::sigmoid:
      return Complex(1) / (Complex(1) + std::exp(-x));
    case Op::isnan:
      return truth(std::isnan(x.real()) || std::isnan(x.imag()));
    case Op::isinf:
      return truth(std::isinf(x.real()) || std::isinf(x.imag()));
    case Op::isfinite:
      return truth(is_finite(x));
    case Op::logical_not:
      return truth(x == Complex(0));
    case Op::to_boolean:
      return truth(x != Complex(0));
    case Op::to_value:
      return x;
    default:
      return circular(op, x);
  }
}

class Reader {
 public:
  explicit Reader(const ComplexPoint& point) : point_(point) {}

  Complex value(const ElementNode& node) {
    if (const auto known = done_.find(&node); known != done_.end()) return known->second;
    const Complex found = compute(node);
    return done_[&node] = found;
  }

 private:
  Complex compute(const ElementNode& node) {
    if (node.operands.empty()) return leaf(node);
    if (node.op == Op::select)
      return value(node.operand(value(node.operand(0)) != Complex(0) ? 1 : 2));
    const Complex x = value(node.operand(0));
    return node.operands.size() == 2 ? value_of(node.op, x, value(node.operand(1)))
                                     : value_of(node.op, x);
  }

  Complex leaf(const ElementNode& node) const {
    switch (node.op) {
      case Op::literal:
        return node.number;
      case Op::has_value:
        return truth(point_.other.given[node.index]);
      case Op::string_equals:
        return truth(point_.other.texts[node.index] == node.text);
      default:
        break;
    }
    if (node.index == kGradIndex) return point_.grad;
    return node.index == kResultIndex ? point_.result : point_.arguments[node.index];
  }

  const ComplexPoint& point_;
  std::unordered_map<const ElementNode*, Complex> done_;
};

}  // namespace

ComplexNumber complex_value(const ElementNode& root, const ComplexPoint& point) {
  return Reader(point).value(root);
}

}  // namespace opweave::codegen
