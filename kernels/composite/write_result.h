// What generated in-place and out forms do with the result of the functional form.
#pragma once

#include <string_view>

#include "runtime/core/tensor.h"

namespace opweave {

// `self`, or a copy of it where a node that is recorded now may keep it.
Tensor value_before_write(const Tensor& self);
// The same for what is not differentiated through, whose own node saves what it needs: only under
// vmap, where autograd sees the values instead.
Tensor value_before_batched_write(const Tensor& self);
// Copies `result` into `self`, whose shape must be the same and to whose dtype it must cast.
void write_inplace(std::string_view op, Tensor& self, const Tensor& result);
// Resizes `out` to `result`'s shape and copies. The dtype must cast; the device must be the same.
void write_out(std::string_view op, Tensor& out, const Tensor& result);

}  // namespace opweave
