// Opens a file of block programs (kernels/blocks) for CUDA: they compute with the vocabulary of
// pointwise kernels.
#pragma once

#include "kernels/cuda/pointwise/vocabulary.cuh"

namespace opweave::blocks {

namespace m = ::opweave::cuda::m;

}  // namespace opweave::blocks

#include "kernels/blocks/columns.h"
