// gather and the scatter family.
#include <algorithm>
#include <cstring>
#include <limits>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/common/words.h"
#include "kernels/cpu/copying/copy.h"
#include "kernels/cpu/indexing/gather_walk.h"
#include "kernels/cpu/indexing/wide_sums.h"
#include "opweave/kernels/cpu/gather.h"
#include "opweave/kernels/cpu/scatter_.h"
#include "opweave/kernels/cpu/scatter_add_.h"
#include "opweave/kernels/cpu/scatter_reduce_.h"
#include "runtime/rules/overlap.h"

namespace opweave::cpu {

void GatherWalk::fail(int64_t index) const {
  OW_THROW(ErrorKind::kRuntime, "index ", index, " is out of bounds for dimension ", plan_.dim,
           " with size ", plan_.size);
}

namespace {

Tensor int64_index(const Tensor& index) {
  if (index.dtype() == kLong) return index;
  Tensor wide = make_tensor(index.sizes(), kLong, kCPU);
  copy_elements(wide, index);
  return wide;
}

// What can be written in place, with an int64 index.
struct Target {
  int64_t dim;
  Tensor index;

  Target(Tensor& self, int64_t dim_arg, const Tensor& index_arg, const Tensor* src)
      : dim(wrap_dim(dim_arg, self.dim())), index(int64_index(index_arg)) {
    check_no_internal_overlap(self);
    if (src != nullptr) check_no_partial_overlap(self, *src);
    check_no_partial_overlap(self, index_arg);
  }
  bool empty() const { return index.numel() == 0; }
};

// Whole numbers wrap, in the widest unsigned type: narrower ones would be computed as signed ints.
template <class T>
using wrapping_type = std::conditional_t<std::is_integral_v<T>, uint64_t, compute_type<T>>;

template <class T>
T sum_of(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a || b;
  } else {
    using C = wrapping_type<T>;
    return static_cast<T>(static_cast<C>(a) + static_cast<C>(b));
  }
}

template <class T>
T product_of(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a && b;
  } else {
    using C = wrapping_type<T>;
    return static_cast<T>(static_cast<C>(a) * static_cast<C>(b));
  }
}

}  // namespace

void gather(const Tensor& self, int64_t dim, const Tensor& index, bool /*sparse_grad*/,
            Tensor& result) {
  if (result.numel() == 0) return;
  const Tensor wide_index = int64_index(index);  // the walk keeps pointers only
  const GatherWalk walk(self, wrap_dim(dim, self.dim()), wide_index, &result);
  with_word(self.element_size(),
            [&]<class W>(W) { walk.run<W>([](const W* from, W* to) { *to = *from; }); });
}

Tensor& scatter__src(Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  const Target target(self, dim, index, &src);
  if (target.empty()) return self;
  const GatherWalk walk(self, target.dim, target.index, &src);
  with_word(self.element_size(),
            [&]<class W>(W) { walk.run<W>([](W* to, const W* from) { *to = *from; }); });
  return self;
}

Tensor& scatter__value(Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
  const Target target(self, dim, index, nullptr);
  if (target.empty()) return self;
  const GatherWalk walk(self, target.dim, target.index, nullptr);
  Tensor number = make_tensor({}, self.dtype(), kCPU);
  fill_elements(number, value);
  with_word(self.element_size(), [&]<class W>(W) {
    const W word = *static_cast<const W*>(number.raw_data());
    walk.run<W>([word](W* to, const W*) { *to = word; });
  });
  return self;
}

namespace {

// Whether two terms come to one place.
bool terms_meet(const Tensor& self, const Target& target) {
  Tensor places = make_tensor(target.index.sizes(), kLong, kCPU);
  const auto* start = static_cast<const char*>(self.raw_data());
  const GatherWalk walk(self, target.dim, target.index, &places);
  walk.run<char>([start](const char* at, char* place) {
    const int64_t offset = at - start;
    std::memcpy(place, &offset, sizeof(offset));
  });
  auto* first = places.data<int64_t>();
  std::sort(first, first + places.numel());
  return std::adjacent_find(first, first + places.numel()) != first + places.numel();
}

// Puts what comes to a place together with what is there: combine(there, term).
template <class Combine>
Tensor& combine_terms(std::string_view name, Tensor& self, const Target& target, const Tensor& src,
                      Combine combine) {
  const auto into = [&](const Tensor& sums) {
    const Tensor terms = converted(src, sums.dtype());
    const GatherWalk walk(sums, target.dim, target.index, &terms);
    visit_dtype<dtypes::kCommon | dtypes::kWideUnsigned>(
        name, sums.dtype(), [&]<class T>(TypeTag<T>) {
          walk.run<T>([combine](T* to, const T* from) { *to = combine(*to, *from); });
        });
  };
  // One term is rounded once in any case: a large tensor is not converted for a few terms.
  // Elements that share a place have one value there and would have several in a copy.
  const bool few = target.index.numel() < self.numel() / 8;
  const bool in_place =
      may_overlap(self) || (few && is_reduced_float(self.dtype()) && !terms_meet(self, target));
  if (!in_place) return add_in_full(self, into);
  into(self);
  return self;
}

}  // namespace

Tensor& scatter_add_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  const Target target(self, dim, index, &src);
  if (target.empty()) return self;
  return combine_terms("scatter_add", self, target, src,
                       [](auto there, auto term) { return sum_of(there, term); });
}

Tensor& scatter__reduce(Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                        std::string_view reduce) {
  if (reduce == "add") return scatter_add_(self, dim, index, src);
  const Target target(self, dim, index, &src);
  if (target.empty()) return self;
  return combine_terms("scatter", self, target, src,
                       [](auto there, auto term) { return product_of(there, term); });
}

namespace {

// NaN is both the greatest and the least number.
template <class T>
T greater_of(T a, T b) {
  return a != a || !(b != b || b > a) ? a : b;
}

template <class T>
T lesser_of(T a, T b) {
  return a != a || !(b != b || b < a) ? a : b;
}

template <class T>
T extreme_number(bool least) {
  if constexpr (std::is_integral_v<T>) {
    return least ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
  } else {
    const float infinity = std::numeric_limits<float>::infinity();
    return static_cast<T>(least ? -infinity : infinity);
  }
}

// What changes nothing.
template <class T>
T neutral(std::string_view reduce) {
  if (reduce == "prod") return static_cast<T>(1);
  if (reduce == "amax" || reduce == "amin") return extreme_number<T>(reduce == "amax");
  return static_cast<T>(0);
}

template <class T>
void reduce_along(const GatherWalk& walk, std::string_view reduce, bool include_self) {
  if (!include_self) walk.run<T>([n = neutral<T>(reduce)](T* to, const T*) { *to = n; });
  if (reduce == "prod") {
    walk.run<T>([](T* to, const T* from) { *to = product_of(*to, *from); });
  } else if (reduce == "amax") {
    walk.run<T>([](T* to, const T* from) { *to = greater_of(*to, *from); });
  } else if (reduce == "amin") {
    walk.run<T>([](T* to, const T* from) { *to = lesser_of(*to, *from); });
  } else {
    walk.run<T>([](T* to, const T* from) { *to = sum_of(*to, *from); });
  }
}

template <class T>
T quotient_of(T sum, int64_t count) {
  if constexpr (std::is_same_v<T, bool>) {
    return sum;
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    const int64_t whole = sum / count;
    return static_cast<T>(whole - (sum % count < 0));
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(sum / static_cast<uint64_t>(count));
  } else {
    return static_cast<T>(sum / static_cast<T>(count));
  }
}

// Sums become means. Both tensors are contiguous.
void divide_by_counts(Tensor& sums, const Target& target, bool include_self) {
  Tensor counts = make_tensor(sums.sizes(), kLong, kCPU);
  fill_elements(counts, include_self ? 1 : 0);
  const GatherWalk walk(counts, target.dim, target.index, nullptr);
  walk.run<int64_t>([](int64_t* to, const int64_t*) { ++*to; });
  const auto* count = static_cast<const int64_t*>(counts.raw_data());
  visit_dtype<dtypes::kCommon | dtypes::kWideUnsigned>(
      "scatter_reduce", sums.dtype(), [&]<class T>(TypeTag<T>) {
        T* sum = static_cast<T*>(sums.raw_data());
        for (int64_t i = 0; i < sums.numel(); ++i) {
          if (count[i] > 1) sum[i] = quotient_of(sum[i], count[i]);
        }
      });
}

void reduce_into(Tensor& self, const Target& target, const Tensor& src, std::string_view reduce,
                 bool include_self) {
  const GatherWalk walk(self, target.dim, target.index, &src);
  visit_dtype<dtypes::kCommon | dtypes::kWideUnsigned>(
      "scatter_reduce", self.dtype(),
      [&]<class T>(TypeTag<T>) { reduce_along<T>(walk, reduce, include_self); });
  if (reduce == "mean") divide_by_counts(self, target, include_self);
}

}  // namespace

Tensor& scatter_reduce__two(Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                            std::string_view reduce, bool include_self) {
  const Target target(self, dim, index, &src);
  if (target.empty()) return self;
  const bool extreme = reduce == "amax" || reduce == "amin";
  const bool narrow = !extreme && (self.dtype() == kHalf || self.dtype() == kBFloat16);
  if (!narrow && (reduce != "mean" || self.is_contiguous())) {
    reduce_into(self, target, src, reduce, include_self);
    return self;
  }
  // Many terms in 16 bits would be rounded as often.
  const ScalarType dtype = narrow ? kFloat : self.dtype();
  Tensor wide = make_tensor(self.sizes(), dtype, kCPU);
  copy_elements(wide, self);
  reduce_into(wide, target, Dense(src, dtype), reduce, include_self);
  copy_elements(self, wide);
  return self;
}

}  // namespace opweave::cpu
