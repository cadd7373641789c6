// Pointwise trees as text in the expression language, for tests, keys and messages.
#pragma once

#include <string>
#include <vector>

#include "codegen/expr/element.h"

namespace opweave::codegen {

// `names` are the arguments; kGradIndex reads `grad`, kResultIndex reads `result`.
std::string print(const ElementNode& node, const std::vector<std::string>& names);

}  // namespace opweave::codegen
