// What a gradient scaler asks of gradients, one pass over each: divides by the scale, and tells of
// what is not finite.
#include <atomic>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/copying/copy.h"
#include "opweave/kernels/cpu/_amp_foreach_non_finite_check_and_unscale_.h"
#include "runtime/core/threads/parallel.h"
#include "runtime/rules/overlap.h"

namespace opweave::cpu {
namespace {

constexpr const char* kName = "_amp_foreach_non_finite_check_and_unscale_";

// Whether all elements were finite. x * 0 is 0 for what is finite and NaN for the rest: a sum,
// where a branch would keep the loop from becoming vector code.
template <class T>
bool unscale_part(T* data, float factor, int64_t begin, int64_t end) {
  using C = compute_type<T>;
  const C by = static_cast<C>(factor);
  C probe = 0;
#pragma omp simd reduction(+ : probe)
  for (int64_t i = begin; i < end; ++i) {
    const C value = C(data[i]);
    probe += value * C(0);
    data[i] = static_cast<T>(value * by);
  }
  return probe == C(0);
}

// Of memory without gaps in any order: all elements are treated alike.
bool unscale_dense(const Tensor& t, float factor) {
  std::atomic<bool> finite{true};
  visit_floating(kName, t.dtype(), [&]<class T>(TypeTag<T>) {
    T* data = static_cast<T*>(t.raw_data());
    parallel_for(0, t.numel(), kGrainSize, [&](int64_t begin, int64_t end) {
      if (!unscale_part(data, factor, begin, end)) finite.store(false, std::memory_order_relaxed);
    });
  });
  return finite.load();
}

bool unscale(const Tensor& t, float factor) {
  if (t.impl()->is_non_overlapping_and_dense()) return unscale_dense(t, factor);
  check_no_internal_overlap(t);
  Tensor dense = make_tensor(t.sizes(), t.dtype(), t.device());
  copy_elements(dense, t);
  const bool finite = unscale_dense(dense, factor);
  Tensor written = t;
  copy_elements(written, dense);
  return finite;
}

}  // namespace

void _amp_foreach_non_finite_check_and_unscale_(TensorList self, Tensor& found_inf,
                                                const Tensor& inv_scale) {
  const float factor = *inv_scale.data<float>();
  for (const Tensor& t : self) visit_floating(kName, t.dtype(), []<class T>(TypeTag<T>) {});
  bool finite = true;
  for (const Tensor& t : self) finite &= unscale(t, factor);
  if (!finite) *found_inf.data<float>() = 1;
}

}  // namespace opweave::cpu
