// Opens a generated file of pointwise kernels; the counterpart of kernels/cpu/pointwise/begin.h.
#include "kernels/cuda/pointwise/make_loops.cuh"

#undef OW_POINTWISE
#define OW_POINTWISE __device__ __forceinline__
#undef OW_POINTWISE_BEGIN
#define OW_POINTWISE_BEGIN \
  namespace opweave {      \
  namespace cuda {         \
  namespace {
#undef OW_POINTWISE_END
#define OW_POINTWISE_END \
  }                      \
  } /* namespace cuda */ \
  } /* namespace opweave */
#undef OW_POINTWISE_ONCE
#define OW_POINTWISE_ONCE 1
#undef OW_EXPORT_LOOPS
#define OW_EXPORT_LOOPS(name) static_assert(true)
#undef OW_LOOPS
#define OW_LOOPS(name) name()
