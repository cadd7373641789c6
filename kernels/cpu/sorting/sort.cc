// sort, topk, kthvalue, median, mode.
#include "opweave/kernels/cpu/sort.h"

#include <cmath>
#include <limits>

#include "kernels/cpu/common/lines.h"
#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/copying/copy.h"
#include "kernels/cpu/sorting/sort_keys.h"
#include "kernels/plans/dims.h"
#include "opweave/kernels/cpu/kthvalue.h"
#include "opweave/kernels/cpu/median.h"
#include "opweave/kernels/cpu/mode.h"
#include "opweave/kernels/cpu/nanmedian.h"
#include "opweave/kernels/cpu/topk.h"

namespace opweave::cpu {
namespace {

// bool is a byte in memory, and sorted as one.
template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

// Where this many elements or more are read for each that is kept, most are left out while they are
// read.
constexpr int64_t kReadForEachKept = 8;

// Orders every line along `dim` and writes its first k elements and their positions.
void take_first(const Tensor& self, int64_t dim, int64_t k, bool descending, Tensor& values,
                Tensor& indices) {
  const plans::Lines lines(self, values.strides(), dim);
  if (lines.n == 0 || k == 0) return;
  constexpr DtypeMask kSorted = dtypes::kCommon | dtypes::kWideUnsigned;
  visit_dtype<kSorted>("sort", self.dtype(), [&]<class Element>(TypeTag<Element>) {
    using T = Stored<Element>;
    const T* in = static_cast<const T*>(self.raw_data());
    T* found = static_cast<T*>(values.raw_data());
    int64_t* positions = indices.data<int64_t>();
    for_lines(lines, [&] {
      return [&, keys = SortKeys<T>(lines.n)](int64_t from, int64_t to) mutable {
        const T* line = in + from;
        if (k * kReadForEachKept <= lines.n) {
          keys.load_least(line, lines.n, lines.in_stride, descending, k);
        } else {
          keys.load(line, lines.n, lines.in_stride, descending);
          k < lines.n ? keys.select(k) : keys.sort();
        }
        for (int64_t i = 0; i < k; ++i) {
          const int64_t at = keys.position(i);
          found[to + i * lines.out_stride] = in[from + at * lines.in_stride];
          positions[to + i * lines.out_stride] = at;
        }
      };
    });
  });
}

// The strides of results with one element for each line; whether they keep the dimension changes no
// address.
DimVector strides_of_one(const Tensor& self, int64_t dim) {
  DimVector sizes(self.sizes());
  if (!sizes.empty()) sizes[static_cast<size_t>(dim)] = 1;
  return contiguous_strides(sizes);
}

// One element of every line: pick(keys, line, n, stride) gives its position.
template <class Pick>
void pick_one(const Tensor& self, int64_t dim, Tensor& values, Tensor& indices, Pick&& pick) {
  const plans::Lines lines(self, strides_of_one(self, dim), dim);
  visit_dtype("kthvalue_cpu", self.dtype(), [&]<class Element>(TypeTag<Element>) {
    using T = Stored<Element>;
    const T* in = static_cast<const T*>(self.raw_data());
    T* found = static_cast<T*>(values.raw_data());
    int64_t* positions = indices.data<int64_t>();
    for_lines(lines, [&] {
      return [&, keys = SortKeys<T>(lines.n)](int64_t from, int64_t to) mutable {
        const int64_t at = pick(keys, in + from, lines.n, lines.in_stride);
        found[to] = in[from + at * lines.in_stride];
        positions[to] = at;
      };
    });
  });
}

// The position of the first NaN, or -1.
template <class T>
int64_t first_nan(const T* line, int64_t n, int64_t stride) {
  if constexpr (std::is_integral_v<T>) return -1;
  for (int64_t i = 0; i < n; ++i) {
    if (line[i * stride] != line[i * stride]) return i;
  }
  return -1;
}

// The lower one of two middle elements. NaN is the median of what holds one, unless ignored.
struct MedianPick {
  bool ignore_nan;

  template <class T>
  int64_t operator()(SortKeys<T>& keys, const T* line, int64_t n, int64_t stride) const {
    const int64_t nan = first_nan(line, n, stride);
    int64_t count = n;
    if (nan >= 0) {
      if (!ignore_nan) return nan;
      for (int64_t i = nan; i < n; ++i) count -= line[i * stride] != line[i * stride];
      if (count == 0) return nan;
    }
    keys.load(line, n, stride, /*descending=*/false);
    const int64_t middle = (count - 1) / 2;
    keys.select(middle + 1);
    return keys.position(middle);
  }
};

// The least of the most frequent values, at its last position.
struct ModePick {
  template <class T>
  int64_t operator()(SortKeys<T>& keys, const T* line, int64_t n, int64_t stride) const {
    keys.load(line, n, stride, /*descending=*/false);
    keys.sort();
    int64_t best = 0, best_count = 0;
    for (int64_t i = 0; i < n;) {
      const auto key = order_key(line[keys.position(i) * stride]);
      int64_t end = i + 1;
      while (end < n && order_key(line[keys.position(end) * stride]) == key) ++end;
      if (end - i > best_count) {
        best_count = end - i;
        best = keys.position(end - 1);
      }
      i = end;
    }
    return best;
  }
};

// All elements as one line.
Tensor flattened(const Tensor& self) {
  const Tensor dense = laid_out(self);
  const int64_t n = dense.numel(), one = 1;
  return make_alias(dense, IntList(&n, 1), IntList(&one, 1), dense.storage_offset());
}

void median_of_all(const Tensor& self, bool ignore_nan, Tensor& out) {
  if (self.numel() > 0) {
    Tensor position = make_tensor({}, kLong, self.device());
    return pick_one(flattened(self), 0, out, position, MedianPick{ignore_nan});
  }
  visit_dtype("median_cpu", self.dtype(), [&]<class T>(TypeTag<T>) {
    T& value = *static_cast<T*>(out.raw_data());
    value = std::is_integral_v<T> ? std::numeric_limits<T>::min() : static_cast<T>(std::nan(""));
  });
}

}  // namespace

void sort_stable(const Tensor& self, std::optional<bool> /*stable*/, int64_t dim, bool descending,
                 Tensor& values, Tensor& indices) {
  const int64_t d = plans::from_front(dim, self.dim());
  take_first(self, d, plans::length_along(self, d), descending, values, indices);
}

void topk(const Tensor& self, int64_t k, int64_t dim, bool largest, bool /*sorted*/, Tensor& values,
          Tensor& indices) {
  const int64_t d = plans::from_front(dim, self.dim());
  // A tensor of no dimensions is the answer for k = 0 as well.
  take_first(self, d, self.dim() == 0 ? plans::length_along(self, d) : k, largest, values, indices);
}

void kthvalue(const Tensor& self, int64_t k, int64_t dim, bool /*keepdim*/, Tensor& values,
              Tensor& indices) {
  pick_one(self, plans::from_front(dim, self.dim()), values, indices,
           [&]<class T>(SortKeys<T>& keys, const T* line, int64_t count, int64_t stride) {
             keys.load(line, count, stride, /*descending=*/false);
             keys.select(k);
             return keys.position(k - 1);
           });
}

void median(const Tensor& self, Tensor& out) { median_of_all(self, /*ignore_nan=*/false, out); }
void nanmedian(const Tensor& self, Tensor& out) { median_of_all(self, /*ignore_nan=*/true, out); }
void median_dim(const Tensor& self, int64_t dim, bool /*keepdim*/, Tensor& values,
                Tensor& indices) {
  pick_one(self, plans::from_front(dim, self.dim()), values, indices, MedianPick{false});
}
void nanmedian_dim(const Tensor& self, int64_t dim, bool /*keepdim*/, Tensor& values,
                   Tensor& indices) {
  pick_one(self, plans::from_front(dim, self.dim()), values, indices, MedianPick{true});
}
void mode(const Tensor& self, int64_t dim, bool /*keepdim*/, Tensor& values, Tensor& indices) {
  pick_one(self, plans::from_front(dim, self.dim()), values, indices, ModePick());
}

}  // namespace opweave::cpu
