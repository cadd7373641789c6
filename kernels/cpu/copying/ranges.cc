// Ranges, counted repetition, and reading a number.
#include <cmath>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/copying/copy.h"
#include "opweave/kernels/cpu/_fill_linspace_.h"
#include "opweave/kernels/cpu/_fill_range_.h"
#include "opweave/kernels/cpu/_local_scalar_dense.h"
#include "opweave/kernels/cpu/repeat_interleave.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

// The element type without bool, which has no ranges.
template <class F>
void visit_number(std::string_view op, ScalarType dtype, F f) {
  visit_dtype(op, dtype, [&]<class T>(TypeTag<T> tag) {
    if constexpr (std::is_same_v<T, bool>) {
      fail_dtype(op, kBool);
    } else {
      f(tag);
    }
  });
}

template <class T, class F>
void fill_line(Tensor& self, F element) {
  T* out = static_cast<T*>(self.raw_data());
  parallel_for(0, self.numel(), kGrainSize, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = element(i);
  });
}

// Integers are counted exactly, and wrap; everything else in double.
template <class T>
using Step = std::conditional_t<std::is_integral_v<T>, int64_t, double>;

template <class T>
void fill_range(Tensor& self, const Scalar& start, const Scalar& step) {
  using S = Step<T>;
  const S from = start.to<S>(), by = step.to<S>();
  fill_line<T>(self, [=](int64_t i) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<uint64_t>(from) +
                            static_cast<uint64_t>(by) * static_cast<uint64_t>(i));
    } else {
      return static_cast<T>(from + by * static_cast<S>(i));
    }
  });
}

// From both ends, so that the last element is exact and the middle symmetric. Integers begin and
// end with the whole part of what they are given.
template <class T>
void fill_linspace(Tensor& self, double start, double end) {
  if constexpr (std::is_integral_v<T>) start = std::trunc(start), end = std::trunc(end);
  const int64_t n = self.numel(), half = n / 2;
  const double step = n > 1 ? (end - start) / static_cast<double>(n - 1) : 0;
  fill_line<T>(self, [=](int64_t i) {
    const double value = i < half || n == 1 ? start + step * static_cast<double>(i)
                                            : end - step * static_cast<double>(n - 1 - i);
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<int64_t>(value));
    } else {
      return static_cast<T>(value);
    }
  });
}

}  // namespace

Tensor& _fill_range_(Tensor& self, const Scalar& start, const Scalar& step) {
  visit_number("arange", self.dtype(),
               [&]<class T>(TypeTag<T>) { fill_range<T>(self, start, step); });
  return self;
}

Tensor& _fill_linspace_(Tensor& self, const Scalar& start, const Scalar& end) {
  visit_number("linspace", self.dtype(), [&]<class T>(TypeTag<T>) {
    fill_linspace<T>(self, start.to_double(), end.to_double());
  });
  return self;
}

Scalar _local_scalar_dense(const Tensor& self) {
  return visit_dtype<dtypes::kEvery>("_local_scalar_dense", self.dtype(), [&]<class T>(TypeTag<T>) {
    return Scalar(*static_cast<const T*>(self.raw_data()));
  });
}

Tensor repeat_interleave_Tensor(const Tensor& repeats, std::optional<int64_t> output_size) {
  Tensor counts = make_tensor(repeats.sizes(), kLong, kCPU);
  copy_elements(counts, repeats);
  const auto* count = static_cast<const int64_t*>(counts.raw_data());
  int64_t total = 0;
  for (int64_t i = 0; i < repeats.numel(); ++i) {
    OW_CHECK(count[i] >= 0, "repeat_interleave(): repeats can not be negative, got ", count[i]);
    total += count[i];
  }
  OW_CHECK(output_size.value_or(total) == total, "repeat_interleave(): allocated size ",
           output_size, " does not match required size ", total);
  Tensor result = make_tensor({total}, repeats.dtype(), kCPU);
  const auto write = [&](auto* out) {
    for (int64_t i = 0; i < repeats.numel(); ++i) {
      out = std::fill_n(out, count[i], static_cast<std::remove_reference_t<decltype(*out)>>(i));
    }
  };
  visit_number("repeat_interleave", repeats.dtype(),
               [&]<class T>(TypeTag<T>) { write(static_cast<T*>(result.raw_data())); });
  return result;
}

}  // namespace opweave::cpu
