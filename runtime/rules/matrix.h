// Checks of operators on the last two dimensions.
#pragma once

#include <string_view>

#include "runtime/core/tensor.h"

namespace opweave {

inline void check_is_matrix(std::string_view op, const Tensor& self) {
  OW_CHECK(self.dim() >= 2, op, "(): input tensor must have at least 2 dimensions, got ",
           self.dim());
}

}  // namespace opweave
