// moving_mean: means of neighbours along a dimension, vectorised for every instruction set.
#include "opweave/kernels/cpu/moving_mean.h"

#include <algorithm>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/pointwise/targets.h"
#include "opweave/ops/contiguous.h"
#include "runtime/core/threads/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "examples/moving_mean/moving_mean.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::HWY_NAMESPACE {

// `count` means of `size` elements that lie `step` apart, of windows that begin side by side.
template <class T>
void means(const T* in, T* out, int64_t count, int64_t size, int64_t step) {
  using Sum = compute_type<T>;  // float for 16-bit floats
  constexpr int64_t kTile = 512;
  Sum sum[kTile];
  for (int64_t from = 0; from < count; from += kTile) {
    const int64_t n = std::min(kTile, count - from);
    std::fill(sum, sum + n, Sum(0));
    for (int64_t k = 0; k < size; ++k) {
      const T* window = in + from + k * step;
      for (int64_t i = 0; i < n; ++i) sum[i] += static_cast<Sum>(window[i]);
    }
    for (int64_t i = 0; i < n; ++i) out[from + i] = static_cast<T>(sum[i] / static_cast<Sum>(size));
  }
}

void moving_mean_kernel(const Tensor& self, int64_t size, int64_t dim, Tensor& out) {
  const Tensor in = opweave::contiguous(self);
  int64_t inner = 1;  // how many elements lie between neighbours
  for (int64_t d = dim + 1; d < in.dim(); ++d) inner *= in.size(d);
  const int64_t length = in.size(dim) * inner, results = out.size(dim) * inner;
  if (results == 0) return;
  const int64_t grain = kGrainSize / (results * size) + 1;
  visit_floating("moving_mean", in.dtype(), [&]<class T>(TypeTag<T>) {
    const T* from = static_cast<const T*>(in.raw_data());
    T* to = static_cast<T*>(out.raw_data());
    parallel_for(0, out.numel() / results, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        means(from + i * length, to + i * results, results, size, inner);
      }
    });
  });
}

}  // namespace opweave::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opweave::cpu {

HWY_EXPORT(moving_mean_kernel);

void moving_mean(const Tensor& self, int64_t size, int64_t dim, Tensor& out) {
  HWY_DYNAMIC_DISPATCH(moving_mean_kernel)(self, size, dim < 0 ? dim + self.dim() : dim, out);
}

}  // namespace opweave::cpu
#endif
