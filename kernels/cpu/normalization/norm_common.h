// What layer_norm, batch_norm and group_norm have in common.
#pragma once

#include "kernels/cpu/common/cast.h"
#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/normalization/norm_kernel.h"
#include "opweave/ops/contiguous.h"

namespace opweave::cpu {

// 16-bit floats are computed in float32.
inline ScalarType norm_dtype(std::string_view op, const Tensor& input) {
  if (!contains(dtypes::kCommonFloating, input.dtype())) fail_dtype(op, input.dtype());
  return is_reduced_float(input.dtype()) ? kFloat : input.dtype();
}

// Contiguous and of the dtype of computation; undefined stays undefined.
inline Tensor norm_argument(const Tensor& t, ScalarType dtype) {
  return t.defined() ? opweave::contiguous(cast(t, dtype)) : t;
}

// A parameter has the input's dtype, or float32 beside 16-bit floats.
inline void check_norm_parameter(const Tensor& input, const Tensor& parameter) {
  if (!parameter.defined() || parameter.dtype() == input.dtype()) return;
  OW_CHECK(is_reduced_float(input.dtype()) && parameter.dtype() == kFloat,
           "mixed dtype (CPU): expect parameter to have scalar type of Float");
}

inline Tensor make_zeros(IntList sizes, ScalarType dtype) {
  Tensor t = make_tensor(sizes, dtype, kCPU);
  std::fill_n(static_cast<char*>(t.raw_data()), t.nbytes(), 0);
  return t;
}

// Element addresses in a tensor of the dtype of computation; null for an undefined one.
inline char* element_at(const Tensor& t, int64_t i) {
  if (!t.defined()) return nullptr;
  return static_cast<char*>(t.raw_data()) + i * static_cast<int64_t>(t.element_size());
}
inline double value_at(const Tensor& t, int64_t i) {
  return t.dtype() == kDouble ? t.data<double>()[i] : static_cast<double>(t.data<float>()[i]);
}
inline void set_value(Tensor& t, int64_t i, double value) {
  if (t.dtype() == kDouble) {
    t.data<double>()[i] = value;
  } else {
    t.data<float>()[i] = static_cast<float>(value);
  }
}
inline double value_or(const Tensor& t, int64_t i, double otherwise) {
  return t.defined() ? value_at(t, i) : otherwise;
}

}  // namespace opweave::cpu
