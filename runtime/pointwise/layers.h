// A layer is what a tensor holds at one index of the dimensions in which its elements lie in one
// place. In-place pointwise calls on tensors of which several elements lie in one place, as
// expand() and unfold() make them: one layer after the other, so that each reads what those before
// it wrote.
#pragma once

#include <functional>

#include "runtime/core/tensor/tensor.h"
#include "runtime/pointwise/plan.h"

namespace opweave {

// Whether the call has to be made in layers, which every target asks before it plans one: in place,
// the operator takes such tensors (the tag `expanded`), and this is one.
bool writes_layers(const PointwiseSpec& spec, const Tensor& out, bool resize);

// Calls `write` once for each layer, in order: for each index of the dimensions in which `out`
// repeats its elements, of which the program is warned; where elements overlap in another way, for
// each element. These dimensions are of size 1 in what `write` gets, the inputs are broadcast.
void write_layers(const PointwiseSpec& spec, const Tensor& out, TensorRefs inputs,
                  const std::function<void(Tensor& out, TensorRefs inputs)>& write);

}  // namespace opweave
