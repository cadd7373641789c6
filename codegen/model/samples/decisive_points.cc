// Points on either side of what conditions compare numbers with: drawn values rarely lie beyond.
#include <algorithm>
#include <cmath>

#include "codegen/expr/element_walk.h"
#include "codegen/model/samples/sample_points.h"

namespace opweave::codegen {
namespace {

bool is_comparison(const ElementNode& node) {
  return node.type == ElementType::boolean && node.operands.size() == 2 &&
         std::ranges::all_of(node.operands, [](const ElementNode* operand) {
           return operand->type == ElementType::value;
         });
}

}  // namespace

void SamplePoints::note_thresholds(const ElementNode& node) {
  if (!is_comparison(node)) return;
  std::set<long double> literals;
  std::set<uint16_t> numbers;
  walk(node, [&](const ElementNode& part) {
    if (part.op == ElementOp::literal) literals.insert({part.number, -part.number});
    const bool is_argument = part.op == ElementOp::argument && part.index < texts_.size();
    if (is_argument && !op_.schema.arguments[part.index].type.is_tensor_like())
      numbers.insert(part.index);
  });
  for (const uint16_t argument : numbers) thresholds_[argument].merge(std::set(literals));
}

bool SamplePoints::may_be(uint16_t argument, long double value) const {
  const Argument& declared = op_.schema.arguments[argument];
  const SampleCall* call = op_.sample_calls.empty() ? nullptr : &op_.sample_calls.front();
  const bool whole = declared.type.base != BaseType::integer || std::trunc(value) == value;
  return whole && std::isfinite(value) && domain_of(declared, call).has_value() &&
         holds(argument, value);
}

std::vector<ElementPoint> SamplePoints::decisive() {
  constexpr int kTimes = 2;  // for different values of the other arguments
  std::vector<ElementPoint> found;
  const auto add = [&](auto&& change) {
    for (int i = 0; i < kTimes; ++i) change(found.emplace_back(next()));
  };
  const auto put = [&](ElementPoint& point, uint16_t argument, long double value) {
    if (!may_be(argument, value)) return;
    point.arguments[argument] = value;
    point.given[argument] = true;
  };
  for (const long double offset : {0.0L, 1.0L, -1.0L}) {
    for (const auto& [argument, values] : thresholds_) {
      for (const long double value : values)
        add([&, at = argument](ElementPoint& point) { put(point, at, value + offset); });
    }
    // All of them at once, for conditions that hold together.
    if (thresholds_.size() < 2) continue;
    add([&](ElementPoint& point) {
      for (const auto& [argument, values] : thresholds_) {
        if (!values.empty()) put(point, argument, *values.rbegin() + offset);
      }
    });
  }
  return found;
}

}  // namespace opweave::codegen
