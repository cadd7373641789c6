// In-place pointwise calls on tensors of which several elements lie in one place, as expand() makes
// them: one layer after the other, so that each reads what those before it wrote.
#pragma once

#include <functional>

#include "runtime/core/tensor.h"
#include "runtime/pointwise/plan.h"

namespace opweave {

// Whether the call has to be made in layers: in place, the operator takes such tensors (the tag
// `expanded`), and this is one.
bool writes_layers(const PointwiseSpec& spec, const Tensor& out, bool resize);

// Warns the program, and calls `write` once for each index of the dimensions in which `out` repeats
// its elements, in order: with these dimensions of size 1 in `out` and in the inputs, which
// broadcast to its shape.
void write_layers(const PointwiseSpec& spec, const Tensor& out, TensorRefs inputs,
                  const std::function<void(Tensor& out, TensorRefs inputs)>& write);

}  // namespace opweave
