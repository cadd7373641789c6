// Inner products, vectorised for floats.
#include "kernels/cpu/linear_algebra/dot_kernel.h"

#include <algorithm>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/pointwise/targets.h"
#include "kernels/cpu/reduction/reduce_segment.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/linear_algebra/dot_kernel.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Lanes add up a segment; segments are added in double.
template <class C>
HWY_INLINE double segment_dot(const C* a, const C* b, int64_t n) {
  const hn::ScalableTag<C> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    s0 = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), s0);
    s1 = hn::MulAdd(hn::LoadU(d, a + i + lanes), hn::LoadU(d, b + i + lanes), s1);
    s2 = hn::MulAdd(hn::LoadU(d, a + i + 2 * lanes), hn::LoadU(d, b + i + 2 * lanes), s2);
    s3 = hn::MulAdd(hn::LoadU(d, a + i + 3 * lanes), hn::LoadU(d, b + i + 3 * lanes), s3);
  }
  for (; i + lanes <= n; i += lanes) {
    s0 = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), s0);
  }
  double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
  for (; i < n; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

template <class T>
DotResult float_dot(const void* a, int64_t a_stride, const void* b, int64_t b_stride, int64_t n) {
  using C = compute_type<T>;
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  C x_buffer[kSegment], y_buffer[kSegment];
  double sum = 0;
  for (int64_t i = 0; i < n; i += kSegment) {
    const int64_t m = std::min(kSegment, n - i);
    sum += segment_dot(segment(x + i * a_stride, m, a_stride, x_buffer),
                       segment(y + i * b_stride, m, b_stride, y_buffer), m);
  }
  return {sum, 0};
}

template <class T>
DotResult integer_dot(const void* a, int64_t a_stride, const void* b, int64_t b_stride, int64_t n) {
  uint64_t sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    sum += static_cast<uint64_t>(static_cast<const T*>(a)[i * a_stride]) *
           static_cast<uint64_t>(static_cast<const T*>(b)[i * b_stride]);
  }
  return {0, sum};
}

DotKernel choose_dot(ScalarType dtype) {
  return visit_dtype("dot", dtype, [&]<class T>(TypeTag<T>) -> DotKernel {
    if constexpr (std::is_same_v<T, bool>) {
      fail_dtype("dot", dtype);
    } else if constexpr (std::is_integral_v<T>) {
      return &integer_dot<T>;
    } else {
      return &float_dot<T>;
    }
  });
}

}  // namespace opweave::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opweave::cpu {
HWY_EXPORT(choose_dot);
DotKernel dot_kernel(ScalarType dtype) { return HWY_DYNAMIC_DISPATCH(choose_dot)(dtype); }
}  // namespace opweave::cpu
#endif
