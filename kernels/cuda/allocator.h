// The memory of CUDA devices, and host memory that they reach.
#pragma once

#include "runtime/target/caching_allocator.h"

namespace opweave::cuda {

CachingAllocator& device_memory();
CachingAllocator& pinned_memory();

}  // namespace opweave::cuda
