// What a condition says about the arguments that it asks for.
#include "codegen/expr/element_guards.h"

#include <algorithm>

namespace opweave::codegen {

bool ElementGuards::knows(uint16_t argument) const {
  return std::ranges::find(given_, argument) != given_.end();
}

void ElementGuards::learn(const ElementNode& condition, bool value) {
  switch (condition.op) {
    case ElementOp::has_value:
      if (value) given_.push_back(condition.index);
      return;
    case ElementOp::logical_not:
      return learn(condition.operand(0), !value);
    case ElementOp::logical_and:
    case ElementOp::logical_or:
      // Both are true, or both are false; else it is not known which.
      if (value != (condition.op == ElementOp::logical_and)) return;
      for (const ElementNode* operand : condition.operands) learn(*operand, value);
      return;
    default:
      return;
  }
}

}  // namespace opweave::codegen
