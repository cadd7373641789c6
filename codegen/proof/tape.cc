// Making and reading tapes.
#include "codegen/proof/tape.h"

#include <bit>
#include <cmath>
#include <unordered_map>

#include "codegen/expr/differentiate.h"
#include "codegen/expr/element_walk.h"
#include "codegen/expr/intrinsics.h"
#include "codegen/proof/special.h"
#include "codegen/proof/values.h"

namespace opweave::codegen {
namespace {

// What processors and libraries round as they should: all others are off by a digit now and then.
bool is_exact(ElementOp op) {
  switch (op) {
    case ElementOp::sqrt:
    case ElementOp::reciprocal:
    case ElementOp::copysign:
      return true;
    case ElementOp::pow:
    case ElementOp::hypot:
      return false;
    default: {
      const Intrinsic* intrinsic = find_intrinsic(op);
      return intrinsic == nullptr || !intrinsic->needs_float || intrinsic->name.empty();
    }
  }
}

// The next number, or the one before, or this one: by its digits, so that all runs are the same.
// Values that have a place are exact.
template <class T>
long double off_by_a_digit(long double value) {
  const T nearest = static_cast<T>(value);
  if (nearest == value || !std::isfinite(nearest)) return nearest;
  const auto digits = static_cast<uint64_t>(std::bit_cast<uint64_t>(static_cast<double>(nearest)));
  const uint64_t choice = (digits * 0x9e3779b97f4a7c15U) >> 62;
  if (choice == 0) return nearest;
  return std::nextafter(nearest, choice == 1 ? T(0) : nearest * 2);
}

long double as_computed(const ElementNode& node, long double value, Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::extended || is_exact(node.op)) return rounded(value, arithmetic);
  return arithmetic == Arithmetic::float32 ? off_by_a_digit<float>(value)
                                           : off_by_a_digit<double>(value);
}

}  // namespace

Tape::Tape(const ElementNode& root) {
  std::unordered_map<const ElementNode*, uint32_t> places;
  walk(root, [&](const ElementNode& node) {
    Step step{&node, {}};
    for (size_t i = 0; i < node.operands.size(); ++i)
      step.operands[i] = places.at(node.operands[i]);
    places[&node] = static_cast<uint32_t>(steps_.size());
    steps_.push_back(step);
  });
}

long double rounded(long double value, Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::float32) return static_cast<float>(value);
  return arithmetic == Arithmetic::float64 ? static_cast<double>(value) : value;
}

long double leaf_value(const ElementNode& node, const ElementPoint& point) {
  switch (node.op) {
    case ElementOp::literal:
      return node.number;
    case ElementOp::has_value:
      return point.given[node.index] ? 1 : 0;
    case ElementOp::string_equals:
      return point.texts[node.index] == node.text ? 1 : 0;
    default:
      return node.index == kGradIndex ? point.grad : point.arguments[node.index];
  }
}

std::vector<long double> Tape::values(const ElementPoint& point, Arithmetic arithmetic,
                                      Arithmetic rounding_of_arguments) const {
  if (arithmetic == Arithmetic::precise) return precise_values(*this, point, rounding_of_arguments);
  std::vector<long double> values(steps_.size());
  for (size_t i = 0; i < steps_.size(); ++i) {
    const auto& [node, at] = steps_[i];
    if (node->operands.empty()) {
      const long double leaf = leaf_value(*node, point);
      const bool is_argument = node->op == ElementOp::argument;
      values[i] = rounded(is_argument ? rounded(leaf, rounding_of_arguments) : leaf, arithmetic);
    } else if (node->op == ElementOp::select) {
      values[i] = values[at[values[at[0]] != 0 ? 1 : 2]];
    } else {
      const long double value = value_of<long double>(node->op, values[at[0]], values[at[1]]);
      values[i] = as_computed(*node, value, arithmetic);
    }
  }
  return values;
}

}  // namespace opweave::codegen
