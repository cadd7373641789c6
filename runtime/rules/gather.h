// The checks of gather and of the scatter family, for every target.
#pragma once

#include <string_view>

#include "runtime/core/tensor.h"

namespace opweave {

// Checks gather's arguments; returns the wrapped dimension. The result has the index's shape.
int64_t check_gather(const Tensor& self, int64_t dim, const Tensor& index);
// Checks scatter's; `src` is null when a number is scattered. Returns the wrapped dimension.
int64_t check_scatter(std::string_view op, const Tensor& self, int64_t dim, const Tensor& index,
                      const Tensor* src);

}  // namespace opweave
