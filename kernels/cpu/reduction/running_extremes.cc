// Running extremes along a dimension: cummax, cummin.
#include "kernels/cpu/common/lines.h"
#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/plans/dims.h"
#include "opweave/kernels/cpu/cummax.h"
#include "opweave/kernels/cpu/cummin.h"

namespace opweave::cpu {
namespace {

// The extreme up to each element and where it is, the last of equal ones. A NaN is the extreme of
// all that follows it, the last one at its own place.
template <class IsBetter>
void running_extreme(const Tensor& self, int64_t dim, Tensor& values, Tensor& indices,
                     IsBetter is_better) {
  const plans::Lines lines(self, values.strides(), plans::from_front(dim, self.dim()));
  visit_dtype("cummax_cummin", self.dtype(), [&]<class T>(TypeTag<T>) {
    const T* in = static_cast<const T*>(self.raw_data());
    T* found = static_cast<T*>(values.raw_data());
    int64_t* places = indices.data<int64_t>();
    for_lines(lines, [&] {
      return [&](int64_t from, int64_t to) {
        int64_t at = 0;
        T best{};
        for (int64_t i = 0; i < lines.n; ++i) {
          const T x = in[from + i * lines.in_stride];
          if (i == 0 || x != x || (best == best && is_better(x, best))) {
            best = x;
            at = i;
          }
          found[to + i * lines.out_stride] = best;
          places[to + i * lines.out_stride] = at;
        }
      };
    });
  });
}

}  // namespace

void cummax(const Tensor& self, int64_t dim, Tensor& values, Tensor& indices) {
  running_extreme(self, dim, values, indices, [](auto x, auto best) { return !(x < best); });
}
void cummin(const Tensor& self, int64_t dim, Tensor& values, Tensor& indices) {
  running_extreme(self, dim, values, indices, [](auto x, auto best) { return !(best < x); });
}

}  // namespace opweave::cpu
