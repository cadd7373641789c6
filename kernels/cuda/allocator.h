// The caching CUDA allocator.
#pragma once

#include "runtime/core/allocator.h"

namespace opweave::cuda {

Allocator& cuda_allocator();

}  // namespace opweave::cuda
