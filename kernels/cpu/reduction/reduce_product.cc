// Kernel of products.
#include "kernels/cpu/reduction/reduce_product.h"

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/pointwise/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/reduction/reduce_product.cc"
#include "hwy/foreach_target.h"
#include "kernels/cpu/reduction/reduce_fold-inl.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::HWY_NAMESPACE {

// Integers wrap as int64 does.
template <class T>
struct Product {
  using State = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
  using Lane = State;
  static constexpr int64_t kBlock = INT64_MAX;
  static State identity() { return 1; }
  static HWY_INLINE State fold(State acc, T x) { return acc * static_cast<State>(x); }
  static HWY_INLINE State merge(State a, State b) { return a * b; }
};

ReduceKernel product_kernel(ScalarType dtype) {
  return visit_dtype("prod", dtype, []<class T>(TypeTag<T>) {
    using M = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
    return PlainFold<M, Product<M>>::kernel();
  });
}

}  // namespace opweave::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opweave::cpu {
HWY_EXPORT(product_kernel);
ReduceKernel product_kernel(ScalarType dtype) {
  return HWY_DYNAMIC_DISPATCH(product_kernel)(dtype);
}
}  // namespace opweave::cpu
#endif
