// Places of values in sorted ones, by halving.
#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/plans/odometer.h"
#include "opweave/kernels/cpu/_searchsorted.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

// Values, results and the sorted row of each, innermost dimension first; strides in elements.
struct SearchPlan {
  SearchPlan(const Tensor& sorted_sequence, const Tensor& self, const Tensor& result)
      : n(sorted_sequence.size(-1)), step(sorted_sequence.stride(-1)) {
    for (int64_t d = self.dim() - 1; d >= 0; --d) {
      const bool has_rows = sorted_sequence.dim() > 1 && d < self.dim() - 1;
      sizes.push_back(self.size(d));
      values.push_back(self.stride(d));
      rows.push_back(has_rows ? sorted_sequence.stride(d) : 0);
      results.push_back(result.stride(d));
    }
  }

  int64_t n, step;  // elements of a row, and from one of them to the next
  DimVector sizes, values, rows, results;
};

// How many elements of a row lie before a value. A comparison with NaN sends it to the right. Looks
// at the elements that PyTorch looks at, which decide where a row is not sorted; by sums, where a
// branch would be guessed wrongly every other time.
template <bool kRight, class T>
int64_t place_of(const T* row, const SearchPlan& plan, T value) {
  int64_t low = 0, left = plan.n;
  while (left > 0) {
    const int64_t half = left / 2;
    const T edge = row[(low + half) * plan.step];
    const int64_t is_behind = (kRight ? edge > value : edge >= value) ? 0 : 1;
    low += is_behind * (half + 1);
    left = half - (is_behind & ~left & 1);  // left - half - 1 behind it
  }
  return low;
}

template <bool kRight, class T>
void search(const Tensor& sorted_sequence, const Tensor& self, Tensor& result) {
  const SearchPlan plan(sorted_sequence, self, result);
  const T* edges = static_cast<const T*>(sorted_sequence.raw_data());
  const T* values = static_cast<const T*>(self.raw_data());
  int64_t* found = result.data<int64_t>();
  parallel_for(0, self.numel(), kGrainSize / 16, [&](int64_t from, int64_t to) {
    plans::Odometer value(plan.sizes, plan.values, 0), row(plan.sizes, plan.rows, 0),
        at(plan.sizes, plan.results, 0);
    for (plans::Odometer* odometer : {&value, &row, &at}) odometer->seek(from);
    for (int64_t i = from; i < to; ++i, value.next(), row.next(), at.next()) {
      found[at.offset()] = place_of<kRight>(edges + row.offset(), plan, values[value.offset()]);
    }
  });
}

}  // namespace

void _searchsorted(const Tensor& sorted_sequence, const Tensor& self, bool right, Tensor& result) {
  constexpr DtypeMask kSearched =
      (dtypes::kCommonFloating & ~dtypes::kReducedFloat) | dtype_bit(kLong) | dtype_bit(kUInt64);
  visit_dtype<kSearched>("searchsorted", self.dtype(), [&]<class T>(TypeTag<T>) {
    right ? search<true, T>(sorted_sequence, self, result)
          : search<false, T>(sorted_sequence, self, result);
  });
}

}  // namespace opweave::cpu
