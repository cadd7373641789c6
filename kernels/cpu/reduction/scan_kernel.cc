// Kernels of running sums and products: plain loops, compiled for every instruction set.
#include "kernels/cpu/reduction/scan_kernel.h"

#include <algorithm>
#include <type_traits>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/pointwise/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/reduction/scan_kernel.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::HWY_NAMESPACE {

template <class T, Scan kWhich>
struct ScanOf {
  using Acc = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
  static constexpr Acc kStart = kWhich == Scan::kSum ? 0 : 1;

  static HWY_INLINE Acc fold(Acc acc, T x) {
    const Acc value = static_cast<Acc>(x);
    return kWhich == Scan::kSum ? acc + value : acc * value;
  }

  static void line(const void* in, void* out, int64_t n, int64_t in_stride, int64_t out_stride) {
    Acc acc = kStart;
    for (int64_t i = 0; i < n; ++i) {
      acc = fold(acc, static_cast<const T*>(in)[i * in_stride]);
      static_cast<T*>(out)[i * out_stride] = static_cast<T>(acc);
    }
  }

  static void columns(const void* in, void* out, int64_t n, int64_t in_stride, int64_t out_stride,
                      int64_t columns) {
    Acc acc[kScanTile];
    std::fill(acc, acc + columns, kStart);
    for (int64_t i = 0; i < n; ++i) {
      const T* __restrict source = static_cast<const T*>(in) + i * in_stride;
      T* __restrict target = static_cast<T*>(out) + i * out_stride;
      for (int64_t c = 0; c < columns; ++c) {
        acc[c] = fold(acc[c], source[c]);
        target[c] = static_cast<T>(acc[c]);
      }
    }
  }
};

ScanKernel scan_kernel(ScalarType dtype, Scan which) {
  return visit_dtype("cumulative", dtype, [&]<class T>(TypeTag<T>) -> ScanKernel {
    using Sum = ScanOf<T, Scan::kSum>;
    using Product = ScanOf<T, Scan::kProduct>;
    if (which == Scan::kSum) return {&Sum::line, &Sum::columns};
    return {&Product::line, &Product::columns};
  });
}

}  // namespace opweave::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opweave::cpu {
HWY_EXPORT(scan_kernel);
ScanKernel scan_kernel(ScalarType dtype, Scan which) {
  return HWY_DYNAMIC_DISPATCH(scan_kernel)(dtype, which);
}
}  // namespace opweave::cpu
#endif
