// moving_mean: a running sum along a dimension.
#include "opweave/kernels/cpu/moving_mean.h"

#include "kernels/cpu/common/visit_dtype.h"
#include "opweave/ops/contiguous.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

// Results of one position `step` apart, of as many windows.
template <class T>
void means(const T* in, T* out, int64_t windows, int64_t size, int64_t step) {
  for (int64_t i = 0; i < windows; ++i) {
    double sum = 0;
    for (int64_t k = 0; k < size; ++k) sum += static_cast<double>(in[(i + k) * step]);
    out[i * step] = static_cast<T>(sum / static_cast<double>(size));
  }
}

}  // namespace

void moving_mean(const Tensor& self, int64_t size, int64_t dim, Tensor& out) {
  const Tensor in = opweave::contiguous(self);
  if (dim < 0) dim += in.dim();
  int64_t inner = 1;  // how many elements lie between neighbours
  for (int64_t d = dim + 1; d < in.dim(); ++d) inner *= in.size(d);
  const int64_t length = in.size(dim), windows = out.size(dim);
  if (out.numel() == 0) return;
  visit_floating("moving_mean", in.dtype(), [&]<class T>(TypeTag<T>) {
    const T* from = static_cast<const T*>(in.raw_data());
    T* to = static_cast<T*>(out.raw_data());
    parallel_for(0, out.numel() / windows, kGrainSize / (windows * size) + 1,
                 [&](int64_t begin, int64_t end) {
                   for (int64_t line = begin; line < end; ++line) {
                     const int64_t outer = line / inner, at = line % inner;
                     means(from + outer * length * inner + at, to + outer * windows * inner + at,
                           windows, size, inner);
                   }
                 });
  });
}

}  // namespace opweave::cpu
