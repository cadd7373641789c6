// TensorVec: the gradients that go into and come out of a backward node.
#pragma once

#include "runtime/autograd/small_vector.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave {

// Most nodes have at most three inputs and outputs: those need no allocation.
using TensorVec = SmallVector<Tensor, 3>;

}  // namespace opweave
