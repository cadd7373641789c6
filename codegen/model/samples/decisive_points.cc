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
  const bool is_integer = op_.schema.arguments[argument].type.base == BaseType::integer;
  return std::isfinite(value) && (!is_integer || std::trunc(value) == value) &&
         holds(argument, value) && required_.may_vary(argument);
}

// What a number is compared with, and what lies on either side of it.
std::vector<long double> SamplePoints::decisive_values(uint16_t argument) const {
  std::vector<long double> found;
  for (const long double value : thresholds_.at(argument)) {
    for (const long double offset : {0.0L, 1.0L, -1.0L}) {
      if (may_be(argument, value + offset)) found.push_back(value + offset);
    }
  }
  return found;
}

void SamplePoints::add_decisive(const std::vector<std::pair<uint16_t, long double>>& values,
                                std::vector<ElementPoint>& found) {
  constexpr int kTimes = 2;  // for different values of the other arguments
  for (int i = 0; i < kTimes; ++i) {
    ElementPoint point = next();
    for (const auto& [argument, value] : values) set_value(point, argument, value);
    if (required_.admit(point)) found.push_back(std::move(point));
  }
}

std::vector<ElementPoint> SamplePoints::decisive() {
  constexpr size_t kMostPairs = 400;
  std::vector<ElementPoint> found;
  for (auto first = thresholds_.begin(); first != thresholds_.end(); ++first) {
    const std::vector<long double> values = decisive_values(first->first);
    for (const long double value : values) add_decisive({{first->first, value}}, found);
    // Conditions may hold of two numbers together.
    for (auto second = std::next(first); second != thresholds_.end(); ++second) {
      const std::vector<long double> others = decisive_values(second->first);
      if (values.size() * others.size() > kMostPairs) continue;
      for (const long double value : values) {
        for (const long double other : others)
          add_decisive({{first->first, value}, {second->first, other}}, found);
      }
    }
  }
  return found;
}

}  // namespace opweave::codegen
