// Kernels of sums: of elements, magnitudes, squares, of what is not NaN, and counts of nonzeros.
#include "kernels/cpu/reduction/reduce_sum.h"

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/pointwise/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/reduction/reduce_sum.cc"
#include "hwy/foreach_target.h"
#include "kernels/cpu/reduction/reduce_float_sum-inl.h"
#include "kernels/cpu/reduction/reduce_fold-inl.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::HWY_NAMESPACE {

// Wraps as int64 does, without undefined overflow. Small types are added up in 32 bits first.
template <class T, bool kCount>
struct IntegerSum {
  using State = uint64_t;
  using Lane = std::conditional_t<sizeof(T) <= 2, int32_t, uint64_t>;
  static constexpr int64_t kBlock = sizeof(T) <= 2 ? 1 << 18 : INT64_MAX;
  static State identity() { return 0; }
  template <class Acc>
  static HWY_INLINE Acc fold(Acc acc, T x) {
    return kCount ? acc + static_cast<Acc>(x != 0) : acc + static_cast<Acc>(x);
  }
  static HWY_INLINE State merge(State a, State b) { return a + b; }
};

template <class Map>
ReduceKernel float_sum(ScalarType dtype) {
  return visit_floating("sum", dtype,
                        []<class T>(TypeTag<T>) { return FloatSum<T, Map>::kernel(); });
}

ReduceKernel integer_sum(ScalarType dtype, bool count) {
  return visit_dtype("sum", dtype, [&]<class T>(TypeTag<T>) -> ReduceKernel {
    if constexpr (std::is_integral_v<T>) {
      // In memory a bool is a byte.
      using M = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
      return count ? PlainFold<M, IntegerSum<M, true>>::kernel()
                   : PlainFold<M, IntegerSum<M, false>>::kernel();
    } else {
      fail_dtype("sum", dtype);
    }
  });
}

ReduceKernel sum_kernel(ScalarType dtype, SumOf what) {
  if (!is_floating(dtype)) return integer_sum(dtype, what == SumOf::kNonzeros);
  switch (what) {
    case SumOf::kElements:
      return float_sum<MapIdentity>(dtype);
    case SumOf::kMagnitudes:
      return float_sum<MapAbs>(dtype);
    case SumOf::kSquares:
      return float_sum<MapSquare>(dtype);
    case SumOf::kNonzeros:
      return float_sum<MapNonzero>(dtype);
    case SumOf::kNonNans:
      return float_sum<MapNanToZero>(dtype);
  }
  fail_dtype("sum", dtype);
}

}  // namespace opweave::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opweave::cpu {
HWY_EXPORT(sum_kernel);
ReduceKernel sum_kernel(ScalarType dtype, SumOf what) {
  return HWY_DYNAMIC_DISPATCH(sum_kernel)(dtype, what);
}
}  // namespace opweave::cpu
#endif
