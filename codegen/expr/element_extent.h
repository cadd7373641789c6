// How large a pointwise tree would be if every node were written each time that it is read.
#pragma once

#include <cstddef>

#include "codegen/expr/element.h"

namespace opweave::codegen {

struct ElementExtent {
  size_t operations = 0;  // at most kManyOperations
  size_t depth = 0;
};
inline constexpr size_t kManyOperations = 1'000'000'000;

ElementExtent extent_of(const ElementNode& root);

}  // namespace opweave::codegen
