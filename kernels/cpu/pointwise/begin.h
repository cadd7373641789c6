// Opens a generated file of pointwise kernels, which defines OW_POINTWISE_FILE to its own path:
//
//   OW_POINTWISE_BEGIN   expressions and their loops, compiled once per instruction set
//   OW_POINTWISE_END
//   #if OW_POINTWISE_ONCE
//   OW_EXPORT_LOOPS(add_loops);     in namespace opweave::cpu
//   OW_LOOPS(add_loops)             the loops for this processor
//   #endif
//
// No include guard: Highway includes the generated file, and it this one, once per instruction set.
#include <limits>

#include "kernels/cpu/pointwise/run.h"
#include "kernels/cpu/pointwise/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE OW_POINTWISE_FILE
#include "hwy/foreach_target.h"  // before highway.h
#include "hwy/highway.h"
#include "kernels/cpu/pointwise/make_loops-inl.h"

// Highway's pragmas stand last: GCC 14 loses what follows a _Pragma in the same macro.
#undef OW_POINTWISE_BEGIN
#define OW_POINTWISE_BEGIN  \
  namespace opweave {       \
  namespace cpu {           \
  namespace HWY_NAMESPACE { \
  HWY_BEFORE_NAMESPACE();
#undef OW_POINTWISE_END
#define OW_POINTWISE_END    \
  }                         \
  } /* namespace cpu */     \
  } /* namespace opweave */ \
  HWY_AFTER_NAMESPACE();
#undef OW_POINTWISE_ONCE
#define OW_POINTWISE_ONCE HWY_ONCE
#undef OW_EXPORT_LOOPS
#define OW_EXPORT_LOOPS(name) HWY_EXPORT(name)
#undef OW_LOOPS
#define OW_LOOPS(name) HWY_DYNAMIC_DISPATCH(name)()
