// What a pointwise operator computes for one element.
#pragma once

#include <vector>

#include "codegen/expr/element.h"

namespace opweave::codegen {

// Empty of one without an expression. In-place and out forms that are derived have that of the
// functional form.
struct Elements {
  const ElementNode* expr = nullptr;
  std::vector<ElementArgument> arguments;  // parallel to the schema's
  Promotion promotion;
};

}  // namespace opweave::codegen
