// What handwritten kernels include of Opweave, for forms of a library that have a part of it.
#pragma once

#include <string_view>
#include <vector>

#include "codegen/diagnostics/source.h"

namespace opweave::codegen {

struct KernelInclude {
  std::string_view path;  // "runtime/core/tensor/tensor.h"
  Span span;              // of the path
};

// The headers of Opweave that a file includes, wherever the lines stand; what lies elsewhere is the
// library's own, or its author's.
std::vector<KernelInclude> own_includes(const Source& kernel);

}  // namespace opweave::codegen
