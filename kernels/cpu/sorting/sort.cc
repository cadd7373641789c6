// sort, topk, kthvalue, median, mode.
#include "opweave/kernels/cpu/sort.h"

#include <cmath>
#include <limits>

#include "kernels/cpu/common/lines.h"
#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/sorting/sort_keys.h"
#include "opweave/kernels/cpu/kthvalue.h"
#include "opweave/kernels/cpu/median.h"
#include "opweave/kernels/cpu/mode.h"
#include "opweave/kernels/cpu/nanmedian.h"
#include "opweave/kernels/cpu/topk.h"
#include "opweave/ops/contiguous.h"
#include "runtime/rules/reduction.h"

namespace opweave::cpu {
namespace {

struct Selection {
  Tensor values, indices;
  std::tuple<Tensor, Tensor> take() { return {std::move(values), std::move(indices)}; }
};

Selection make_selection(const Tensor& self, DimVector sizes) {
  return {make_tensor(sizes, self.dtype(), self.device()),
          make_tensor(sizes, kLong, self.device())};
}

DimVector resized(const Tensor& self, int64_t dim, int64_t n) {
  DimVector sizes(self.sizes());
  if (!sizes.empty()) sizes[static_cast<size_t>(dim)] = n;
  return sizes;
}

// bool is a byte in memory, and sorted as one.
template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

// Orders every line along `dim` and writes its first k elements and their positions.
void take_first(const Tensor& self, int64_t dim, int64_t k, bool descending, Selection& result) {
  const Lines lines(self, result.values, dim);
  if (lines.n() == 0 || k == 0) return;
  visit_dtype<dtypes::kCommon | dtypes::kWideUnsigned>(
      "sort", self.dtype(), [&]<class Element>(TypeTag<Element>) {
        using T = Stored<Element>;
        const T* in = static_cast<const T*>(self.raw_data());
        T* values = static_cast<T*>(result.values.raw_data());
        int64_t* indices = result.indices.data<int64_t>();
        lines.run([&] {
          return [&, keys = SortKeys<T>(lines.n())](int64_t from, int64_t to) mutable {
            keys.load(in + from, lines.n(), lines.in_stride(), descending);
            k < lines.n() ? keys.select(k) : keys.sort();
            for (int64_t i = 0; i < k; ++i) {
              const int64_t at = keys.position(i);
              values[to + i * lines.out_stride()] = in[from + at * lines.in_stride()];
              indices[to + i * lines.out_stride()] = at;
            }
          };
        });
      });
}

// One element of every line: pick(keys, line, n, stride) gives its position.
template <class Pick>
std::tuple<Tensor, Tensor> pick_one(const Tensor& self, int64_t dim, bool keepdim, Pick&& pick) {
  Selection kept = make_selection(self, resized(self, dim, 1));
  const Lines lines(self, kept.values, dim);
  visit_dtype("kthvalue_cpu", self.dtype(), [&]<class Element>(TypeTag<Element>) {
    using T = Stored<Element>;
    const T* in = static_cast<const T*>(self.raw_data());
    lines.run([&] {
      return [&, keys = SortKeys<T>(lines.n())](int64_t from, int64_t to) mutable {
        const int64_t at = pick(keys, in + from, lines.n(), lines.in_stride());
        static_cast<T*>(kept.values.raw_data())[to] = in[from + at * lines.in_stride()];
        kept.indices.data<int64_t>()[to] = at;
      };
    });
  });
  if (keepdim || self.dim() == 0) return kept.take();
  const DimVector sizes = reduced_sizes(self.sizes(), reduced_dims(IntList(&dim, 1), self.dim()),
                                        /*keepdim=*/false);
  const DimVector strides = contiguous_strides(sizes);
  return {make_alias(kept.values, sizes, strides, 0), make_alias(kept.indices, sizes, strides, 0)};
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

void check_ordered(std::string_view op, const Tensor& self, int64_t dim) {
  if (self.dtype() == kBool) fail_dtype(op, kBool);
  check_reduces_something(op.substr(0, op.find('_')), self, dim);
}

// All elements as one line.
Tensor flattened(const Tensor& self) {
  const Tensor dense = opweave::contiguous(self);
  const int64_t n = dense.numel(), one = 1;
  return make_alias(dense, IntList(&n, 1), IntList(&one, 1), dense.storage_offset());
}

Tensor median_of_all(const Tensor& self, bool ignore_nan) {
  if (self.dtype() == kBool) fail_dtype("median_cpu", kBool);
  if (self.numel() > 0) {
    return std::get<0>(pick_one(flattened(self), 0, false, MedianPick{ignore_nan}));
  }
  Tensor out = make_tensor({}, self.dtype(), self.device());
  visit_dtype("median_cpu", self.dtype(), [&]<class T>(TypeTag<T>) {
    T& value = *static_cast<T*>(out.raw_data());
    value = std::is_integral_v<T> ? std::numeric_limits<T>::min() : static_cast<T>(std::nan(""));
  });
  return out;
}

}  // namespace

std::tuple<Tensor, Tensor> sort_stable(const Tensor& self, std::optional<bool> /*stable*/,
                                       int64_t dim, bool descending) {
  const int64_t d = wrap_dim(dim, self.dim());
  Selection result = make_selection(self, DimVector(self.sizes()));
  take_first(self, d, self.dim() == 0 ? 1 : self.sizes()[d], descending, result);
  return result.take();
}

std::tuple<Tensor, Tensor> topk(const Tensor& self, int64_t k, int64_t dim, bool largest,
                                bool /*sorted*/) {
  const int64_t d = wrap_dim(dim, self.dim());
  const int64_t n = self.dim() == 0 ? 1 : self.sizes()[d];
  OW_CHECK(k >= 0 && k <= n, "selected index k out of range");
  OW_CHECK_NOT_IMPLEMENTED(self.dtype() != kBool, "topk does not support bool dtypes on CPU");
  if (!contains(dtypes::kCommon, self.dtype())) fail_dtype("topk", self.dtype());
  Selection result = make_selection(self, resized(self, d, k));
  take_first(self, d, k, largest, result);
  return result.take();
}

std::tuple<Tensor, Tensor> kthvalue(const Tensor& self, int64_t k, int64_t dim, bool keepdim) {
  const int64_t d = wrap_dim(dim, self.dim());
  check_ordered("kthvalue", self, d);
  const int64_t n = self.dim() == 0 ? 1 : self.sizes()[d];
  OW_CHECK(k >= 1 && k <= n, "kthvalue(): selected number k out of range for dimension ", d);
  return pick_one(self, d, keepdim,
                  [&]<class T>(SortKeys<T>& keys, const T* line, int64_t count, int64_t stride) {
                    keys.load(line, count, stride, /*descending=*/false);
                    keys.select(k);
                    return keys.position(k - 1);
                  });
}

Tensor median(const Tensor& self) { return median_of_all(self, /*ignore_nan=*/false); }
Tensor nanmedian(const Tensor& self) { return median_of_all(self, /*ignore_nan=*/true); }
std::tuple<Tensor, Tensor> median_dim(const Tensor& self, int64_t dim, bool keepdim) {
  const int64_t d = wrap_dim(dim, self.dim());
  check_ordered("median_cpu", self, d);
  return pick_one(self, d, keepdim, MedianPick{false});
}
std::tuple<Tensor, Tensor> nanmedian_dim(const Tensor& self, int64_t dim, bool keepdim) {
  const int64_t d = wrap_dim(dim, self.dim());
  check_ordered("median_cpu", self, d);
  return pick_one(self, d, keepdim, MedianPick{true});
}
std::tuple<Tensor, Tensor> mode(const Tensor& self, int64_t dim, bool keepdim) {
  const int64_t d = wrap_dim(dim, self.dim());
  check_reduces_something("mode", self, d);
  return pick_one(self, d, keepdim, ModePick());
}

}  // namespace opweave::cpu
