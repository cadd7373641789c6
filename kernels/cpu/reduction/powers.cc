// Powers of magnitudes, a vector at a time.
#include "kernels/cpu/reduction/powers.h"

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/copying/copy.h"
#include "kernels/cpu/pointwise/targets.h"
#include "runtime/core/threads/parallel.h"
#include "runtime/rules/broadcast.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/reduction/powers.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/cpu/pointwise/float_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class C>
void raise_line(C* values, int64_t n, double order) {
  const hn::ScalableTag<C> d;
  const auto exponent = hn::Set(d, static_cast<C>(order));
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(floating::pow(hn::Abs(hn::LoadU(d, values + i)), exponent), d, values + i);
  }
  if (i < n) {
    const auto part = hn::Abs(load_part(d, values + i, n - i));
    store_part(d, floating::pow(part, exponent), values + i, n - i);
  }
}

void raise_elements(Tensor& dense, double order) {
  visit_floating("linalg.vector_norm", dense.dtype(), [&]<class T>(TypeTag<T>) {
    if constexpr (std::is_floating_point_v<T>) {
      T* values = static_cast<T*>(dense.raw_data());
      parallel_for(0, dense.numel(), kGrainSize / 8, [&](int64_t begin, int64_t end) {
        raise_line(values + begin, end - begin, order);
      });
    }
  });
}

}  // namespace opweave::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opweave::cpu {
HWY_EXPORT(raise_elements);

Tensor powers_of_magnitudes(const Tensor& t, double order) {
  const ScalarType dtype = t.dtype() == kDouble ? kDouble : kFloat;
  Tensor raised = make_tensor_strided(t.sizes(), dense_strides_like(t), dtype, t.device());
  copy_elements(raised, t);
  HWY_DYNAMIC_DISPATCH(raise_elements)(raised, order);
  return raised;
}

}  // namespace opweave::cpu
#endif
