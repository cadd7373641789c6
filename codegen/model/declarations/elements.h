// What a pointwise operator computes for one element, or one that folds for rows of them.
#pragma once

#include <vector>

#include "codegen/expr/element.h"
#include "codegen/model/declarations/fold.h"

namespace opweave::codegen {

// Empty of one without an expression. In-place and out forms that are derived have that of the
// functional form.
struct Elements {
  const ElementNode* expr = nullptr;
  const FoldFormula* fold = nullptr;       // instead of `expr`, of one that folds
  std::vector<ElementArgument> arguments;  // parallel to the schema's
  Promotion promotion;
};

}  // namespace opweave::codegen
