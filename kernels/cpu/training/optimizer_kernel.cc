// Loops of the optimizers. They are plain ones that the compiler turns into vector code for each
// instruction set; what is optional is a template parameter, because a store under a condition
// would keep it from doing so.
#include "kernels/cpu/training/optimizer_kernel.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "kernels/cpu/pointwise/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/training/optimizer_kernel.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::HWY_NAMESPACE {

// What a step is computed in: halves have no arithmetic of their own.
template <class E>
using Computed = std::conditional_t<std::is_same_v<E, double>, double, float>;

template <class T>
HWY_INLINE T* elements(void* p) {
  return static_cast<T*>(p);
}
template <class T>
HWY_INLINE const T* elements(const void* p) {
  return static_cast<const T*>(p);
}

template <class E, bool kMomentum>
void sgd_loop(const SgdOptions& o, const SgdArrays& arrays, int64_t begin, int64_t end) {
  using T = Computed<E>;
  E* p = elements<E>(arrays.parameter);
  const E* g = elements<E>(arrays.gradient);
  E* b = elements<E>(arrays.momentum);
  const T decay = static_cast<T>(o.weight_decay), rate = static_cast<T>(o.lr);
  const T keep = static_cast<T>(o.momentum), fresh = static_cast<T>(1 - o.dampening);
  const bool first = o.first, nesterov = o.nesterov;
  const T sign = o.maximize ? T(-1) : T(1);
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    T d = sign * T(g[i]) + decay * T(p[i]);
    if constexpr (kMomentum) {
      const E momentum = E(first ? d : keep * T(b[i]) + fresh * d);
      b[i] = momentum;
      d = nesterov ? d + keep * T(momentum) : T(momentum);
    }
    p[i] = E(T(p[i]) - rate * d);
  }
}

template <class E, bool kAmsgrad>
void adam_loop(const AdamOptions& o, const AdamArrays& arrays, int64_t begin, int64_t end) {
  using T = Computed<E>;
  E* p = elements<E>(arrays.parameter);
  const E* g = elements<E>(arrays.gradient);
  E* m = elements<E>(arrays.mean);
  E* v = elements<E>(arrays.square);
  E* largest = elements<E>(arrays.largest_square);
  const T decay = static_cast<T>(o.decoupled ? 0 : o.weight_decay);
  const T shrink = static_cast<T>(o.decoupled ? 1 - o.lr * o.weight_decay : 1);
  const T beta2 = static_cast<T>(o.beta2), rest1 = static_cast<T>(1 - o.beta1);
  const T rest2 = static_cast<T>(1 - o.beta2), eps = static_cast<T>(o.eps);
  const T rate = static_cast<T>(o.lr / o.correction1);
  const T scale = static_cast<T>(1 / std::sqrt(o.correction2));
  const T sign = o.maximize ? T(-1) : T(1);
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    const T q = T(p[i]) * shrink;
    const T d = sign * T(g[i]) + decay * q;
    const T mean = T(m[i]) + rest1 * (d - T(m[i]));
    T square = beta2 * T(v[i]) + rest2 * d * d;
    m[i] = E(mean);
    v[i] = E(square);
    if constexpr (kAmsgrad) {
      square = std::max(T(largest[i]), square);
      largest[i] = E(square);
    }
    p[i] = E(q - rate * mean / (std::sqrt(square) * scale + eps));
  }
}

template <class T>
struct Optimizers {
  static void sgd(const SgdOptions& o, const SgdArrays& arrays, int64_t begin, int64_t end) {
    const bool momentum = arrays.momentum != nullptr;
    (momentum ? sgd_loop<T, true> : sgd_loop<T, false>)(o, arrays, begin, end);
  }
  static void adam(const AdamOptions& o, const AdamArrays& arrays, int64_t begin, int64_t end) {
    const bool amsgrad = arrays.largest_square != nullptr;
    (amsgrad ? adam_loop<T, true> : adam_loop<T, false>)(o, arrays, begin, end);
  }
  static OptimizerKernel kernel() { return {&sgd, &adam}; }
};

OptimizerKernel choose_optimizer(ScalarType dtype) {
  if (!contains(dtypes::kCommonFloating, dtype)) return {};
  return visit_dtypes<dtypes::kCommonFloating>(
      dtype, []<class T>(TypeTag<T>) { return Optimizers<T>::kernel(); }, [] {});
}

}  // namespace opweave::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opweave::cpu {
HWY_EXPORT(choose_optimizer);
OptimizerKernel optimizer_kernel(ScalarType dtype) {
  return HWY_DYNAMIC_DISPATCH(choose_optimizer)(dtype);
}
}  // namespace opweave::cpu
#endif
