// Whether two pointwise trees are equal by the laws of algebra: for all values of their arguments
// but those of single points and lines.
#pragma once

#include "codegen/expr/element.h"

namespace opweave::codegen {

// The trees have to be in one arena. False means only that no proof was found.
bool proved_equal(const ElementNode& a, const ElementNode& b);

}  // namespace opweave::codegen
