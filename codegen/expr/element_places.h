// Which values of expressions that fold are places of elements.
#pragma once

#include "codegen/expr/element.h"

namespace opweave::codegen {

// Whether it is a whole number made of coordinates, of how many elements there are and of numbers:
// int64 as a result, whatever the tensors are, and without a derivative. What chooses among places
// may read elements: `min(self > 0 ? r : size())`.
bool is_place(const ElementNode& node);

}  // namespace opweave::codegen
