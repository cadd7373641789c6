// Distances of all pairs of rows, in the norms that need no powers.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/copying/copy.h"
#include "kernels/cpu/copying/wide_result.h"
#include "kernels/cpu/pointwise/targets.h"
#include "opweave/kernels/cpu/_pair_distances.h"
#include "runtime/core/threads/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/reduction/pair_distances.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::HWY_NAMESPACE {

// Puts one difference more to each of n sums: differences to x of the elements of others.
template <class T, class Combine>
HWY_INLINE void combine_all(T x, const T* others, T* sums, int64_t n, Combine combine) {
  for (int64_t i = 0; i < n; ++i) sums[i] = combine(sums[i], x - others[i]);
}

template <class T>
void add_differences(double p, T x, const T* others, T* sums, int64_t n) {
  if (p == 2) {
    combine_all(x, others, sums, n, [](T sum, T d) { return sum + d * d; });
  } else if (p == 1) {
    combine_all(x, others, sums, n, [](T sum, T d) { return sum + std::abs(d); });
  } else if (p == 0) {
    combine_all(x, others, sums, n, [](T sum, T d) { return sum + (d == d ? T(d != 0) : d); });
  } else {  // the largest; NaN is
    combine_all(x, others, sums, n, [](T sum, T d) {
      const T size = std::abs(d);
      return (size > sum) | (size != size) ? size : sum;
    });
  }
}

// The distances of row `i` of n to those behind it. `columns` are rows of a transposed matrix.
template <class T>
void distances_of_row(double p, const T* columns, int64_t width, int64_t n, int64_t i, T* out) {
  const int64_t others = n - i - 1;
  std::fill_n(out, others, T(0));
  for (int64_t k = 0; k < width; ++k) {
    const T* column = columns + k * n;
    add_differences(p, column[i], column + i + 1, out, others);
  }
  if (p != 2) return;
  for (int64_t j = 0; j < others; ++j) out[j] = std::sqrt(out[j]);
}

void pair_distances(const Tensor& columns, double p, Tensor& out) {
  const int64_t width = columns.size(0), n = columns.size(1);
  visit_float_double("pdist", columns.dtype(), [&]<class T>(TypeTag<T>) {
    parallel_for(0, n, kGrainSize / (width * n / 2 + 1) + 1, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; ++i) {
        distances_of_row(p, static_cast<const T*>(columns.raw_data()), width, n, i,
                         static_cast<T*>(out.raw_data()) + i * (2 * n - i - 1) / 2);
      }
    });
  });
}

}  // namespace opweave::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opweave::cpu {

HWY_EXPORT(pair_distances);

void _pair_distances(const Tensor& self, double p, Tensor& out) {
  const ScalarType dtype = compute_dtype(self.dtype());
  const int64_t sizes[] = {self.size(1), self.size(0)},
                strides[] = {self.strides()[1], self.strides()[0]};
  const Tensor turned = make_alias(self, sizes, strides, self.storage_offset());
  const Dense columns(turned, dtype);
  WideResult result(out, dtype);
  HWY_DYNAMIC_DISPATCH(pair_distances)(columns, p, result.tensor());
  result.finish();
}

}  // namespace opweave::cpu
#endif
