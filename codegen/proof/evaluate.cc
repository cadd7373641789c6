// Evaluation with a running bound of the error.
#include "codegen/proof/evaluate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "codegen/expr/differentiate.h"
#include "codegen/proof/special.h"
#include "codegen/proof/values.h"

namespace opweave::codegen {
namespace {

using Op = ElementOp;

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
    return value_of<long double>(node.op, a, b);
  };
  Evaluated result{at(x.value, y.value), 0};
  if (precision_ == Precision::float64) result.value = static_cast<double>(result.value);
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
