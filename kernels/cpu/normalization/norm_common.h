// What batch_norm and group_norm have in common.
#pragma once

#include <algorithm>

#include "kernels/cpu/copying/wide_result.h"
#include "kernels/cpu/normalization/norm_kernel.h"
#include "runtime/rules/widened.h"

namespace opweave::cpu {

inline ScalarType norm_dtype(const Tensor& input) { return rule::widened(input.dtype()); }

// Contiguous and of the dtype of computation; undefined stays undefined.
inline Tensor norm_argument(const Tensor& t, ScalarType dtype) {
  return t.defined() ? laid_out(converted(t, dtype)) : t;
}

// Of a contiguous tensor; an undefined one has nothing to fill.
inline void fill_zeros(Tensor& t) {
  if (t.defined()) std::fill_n(static_cast<char*>(t.raw_data()), t.nbytes(), 0);
}

// Element addresses in a tensor of the dtype of computation; null for an undefined one.
inline char* element_at(const Tensor& t, int64_t i) {
  if (!t.defined()) return nullptr;
  return static_cast<char*>(t.raw_data()) + i * static_cast<int64_t>(t.element_size());
}
inline double value_at(const Tensor& t, int64_t i) {
  return t.dtype() == kDouble ? t.data<double>()[i] : static_cast<double>(t.data<float>()[i]);
}
// Not for an undefined tensor either.
inline void set_value(Tensor& t, int64_t i, double value) {
  if (!t.defined()) return;
  if (t.dtype() == kDouble) {
    t.data<double>()[i] = value;
  } else {
    t.data<float>()[i] = static_cast<float>(value);
  }
}
inline void add_value(Tensor& t, int64_t i, double value) {
  if (t.defined()) set_value(t, i, value_at(t, i) + value);
}
inline double value_or(const Tensor& t, int64_t i, double otherwise) {
  return t.defined() ? value_at(t, i) : otherwise;
}

}  // namespace opweave::cpu
