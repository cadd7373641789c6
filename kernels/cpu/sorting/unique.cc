// Unique elements, unique slices, and runs of equal ones.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/copying/copy.h"
#include "kernels/cpu/sorting/sort_keys.h"
#include "kernels/plans/dims.h"
#include "opweave/kernels/cpu/_unique2.h"
#include "opweave/kernels/cpu/unique_consecutive.h"
#include "opweave/kernels/cpu/unique_dim.h"

namespace opweave::cpu {
namespace {

// Groups of equal things, in order: which one stands for the group, the group of each, the sizes.
struct Groups {
  std::vector<int64_t> first, group_of, counts;
};

// Goes through positions[0], positions[1], … and starts a group wherever equal(a, b) does not hold.
template <class Position, class Equal>
Groups make_groups(int64_t n, Position&& position, Equal&& equal) {
  Groups groups;
  groups.group_of.resize(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    const int64_t at = position(i);
    if (i == 0 || !equal(groups.first.back(), at)) {
      groups.first.push_back(at);
      groups.counts.push_back(0);
    }
    ++groups.counts.back();
    groups.group_of[static_cast<size_t>(at)] = static_cast<int64_t>(groups.first.size()) - 1;
  }
  return groups;
}

Tensor long_tensor(const std::vector<int64_t>& values, IntList sizes) {
  Tensor t = make_tensor(sizes, kLong, kCPU);
  std::copy(values.begin(), values.end(), t.data<int64_t>());
  return t;
}
Tensor long_tensor(const std::vector<int64_t>& values) {
  const int64_t n = static_cast<int64_t>(values.size());
  return long_tensor(values, IntList(&n, 1));
}
Tensor no_longs() { return make_tensor(IntList{0}, kLong, kCPU); }

using Result = std::tuple<Tensor, Tensor, Tensor>;

Result finish(Tensor values, const Groups& groups, IntList inverse_sizes, bool inverse,
              bool counts) {
  return {std::move(values), inverse ? long_tensor(groups.group_of, inverse_sizes) : no_longs(),
          counts ? long_tensor(groups.counts) : no_longs()};
}

template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

// NaN is equal to nothing.
template <class T>
bool same(T a, T b) {
  return static_cast<compute_type<T>>(a) == static_cast<compute_type<T>>(b);
}

constexpr DtypeMask kCompared = dtypes::kCommon | dtypes::kWideUnsigned;

// Calls f(dense, data) with a dense tensor of the same elements, and these as they are stored.
template <class F>
Result visit_elements(const Tensor& self, F f) {
  const Dense dense(self);
  const Tensor& in = dense;
  return visit_dtype<kCompared>("unique", in.dtype(), [&]<class Element>(TypeTag<Element>) {
    return f(in, static_cast<const Stored<Element>*>(in.raw_data()));
  });
}

// The elements of the whole tensor, sorted.
Result unique_elements(const Tensor& self, bool inverse, bool counts) {
  return visit_elements(self, [&]<class T>(const Tensor& in, const T* data) {
    const int64_t n = in.numel();
    SortKeys<T> keys(n);
    keys.load(data, n, 1, /*descending=*/false);
    keys.sort();
    const Groups groups = make_groups(
        n, [&](int64_t i) { return keys.position(i); },
        [&](int64_t a, int64_t b) { return same(data[a], data[b]); });
    const int64_t size = static_cast<int64_t>(groups.first.size());
    Tensor values = make_tensor(IntList(&size, 1), in.dtype(), in.device());
    for (int64_t i = 0; i < size; ++i) {
      static_cast<T*>(values.raw_data())[i] = data[groups.first[static_cast<size_t>(i)]];
    }
    return finish(std::move(values), groups, self.sizes(), inverse, counts);
  });
}

// Whether element i begins a run of equal ones.
template <class T>
bool begins(const T* data, int64_t i) {
  return i == 0 || !same(data[i - 1], data[i]);
}

// The first elements of n, of as many runs, and if asked for the run of each and their lengths.
template <class T>
void write_runs(const T* data, int64_t n, T* values, int64_t* inverse, int64_t* counts) {
  int64_t run = -1;
  for (int64_t i = 0; i < n; ++i) {
    run += begins(data, i);
    values[run] = begins(data, i) ? data[i] : values[run];
    if (inverse != nullptr) inverse[i] = run;
  }
  if (counts == nullptr) return;
  run = -1;
  for (int64_t i = 0; i < n; ++i) {
    if (begins(data, i)) counts[++run] = 0;
    ++counts[run];
  }
}

// The elements of the whole tensor as they follow one another, each run of equal ones once.
Result runs_of_elements(const Tensor& self, bool inverse, bool counts) {
  return visit_elements(self, [&]<class T>(const Tensor& in, const T* data) {
    const int64_t n = in.numel();
    int64_t size = n > 0 ? 1 : 0;
    for (int64_t i = 1; i < n; ++i) size += !same(data[i - 1], data[i]);
    Tensor values = make_tensor(IntList(&size, 1), in.dtype(), in.device());
    Tensor runs = inverse ? make_tensor(self.sizes(), kLong, kCPU) : no_longs();
    Tensor lengths = counts ? make_tensor(IntList(&size, 1), kLong, kCPU) : no_longs();
    write_runs(data, n, static_cast<T*>(values.raw_data()),
               inverse ? runs.data<int64_t>() : nullptr,
               counts ? lengths.data<int64_t>() : nullptr);
    return Result{values, runs, lengths};
  });
}

// A view with one dimension in another place.
Tensor moved(const Tensor& t, int64_t from, int64_t to) {
  DimVector sizes(t.sizes()), strides(t.strides());
  for (DimVector* dims : {&sizes, &strides}) {
    const int64_t value = (*dims)[static_cast<size_t>(from)];
    dims->erase(static_cast<size_t>(from));
    dims->insert(static_cast<size_t>(to), value);
  }
  return make_alias(t, sizes, strides, t.storage_offset());
}

// Of contiguous slices those at some places, along dimension `dim` of the result.
Tensor slices_at(const Tensor& slices, int64_t dim, const std::vector<int64_t>& places) {
  DimVector sizes(slices.sizes());
  sizes[0] = static_cast<int64_t>(places.size());
  Tensor chosen = make_tensor(sizes, slices.dtype(), slices.device());
  const size_t n = static_cast<size_t>(slices.sizes()[0]);
  const size_t bytes = n == 0 ? 0 : slices.nbytes() / n;
  const char* from = static_cast<const char*>(slices.raw_data());
  char* to = static_cast<char*>(chosen.raw_data());
  for (int64_t place : places) {
    std::memcpy(to, from + static_cast<size_t>(place) * bytes, bytes);
    to += bytes;
  }
  return laid_out(moved(chosen, 0, dim));
}

// Slices along a dimension, compared element by element. Groups and their sizes are known whether
// or not they are asked for.
Result unique_slices(const Tensor& self, int64_t dim, bool sorted) {
  const int64_t d = plans::from_front(dim, self.dim());
  const Tensor in = laid_out(moved(self, d, 0));
  const int64_t n = in.sizes()[0], width = n == 0 ? 0 : in.numel() / n;
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  const Groups groups =
      visit_dtype<kCompared>("unique_dim", in.dtype(), [&]<class Element>(TypeTag<Element>) {
        using T = Stored<Element>;
        const T* data = static_cast<const T*>(in.raw_data());
        auto slice = [&](int64_t i) { return data + i * width; };
        if (sorted) {
          std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
            return std::lexicographical_compare(
                slice(a), slice(a) + width, slice(b), slice(b) + width,
                [](const T& x, const T& y) { return order_key(x) < order_key(y); });
          });
        }
        return make_groups(
            n, [&](int64_t i) { return order[static_cast<size_t>(i)]; },
            [&](int64_t a, int64_t b) {
              return std::equal(slice(a), slice(a) + width, slice(b), &same<T>);
            });
      });
  Tensor values = slices_at(in, d, groups.first);
  return finish(std::move(values), groups, IntList(&n, 1), /*inverse=*/true, /*counts=*/true);
}

}  // namespace

Result _unique2(const Tensor& self, bool /*sorted*/, bool return_inverse, bool return_counts) {
  return unique_elements(self, return_inverse, return_counts);
}
Result unique_dim(const Tensor& self, int64_t dim, bool /*sorted*/, bool /*return_inverse*/,
                  bool /*return_counts*/) {
  return unique_slices(self, dim, /*sorted=*/true);
}
Result unique_consecutive(const Tensor& self, bool return_inverse, bool return_counts,
                          std::optional<int64_t> dim) {
  if (!dim) return runs_of_elements(self, return_inverse, return_counts);
  return unique_slices(self, *dim, /*sorted=*/false);
}

}  // namespace opweave::cpu
