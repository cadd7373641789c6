// What a call of a pointwise operator computes in, and where: the same for loops, kernels of CUDA
// and PyTorch's operators. Dtypes are promoted as PyTorch does it.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/native/TypeProperties.h>

#include <cstdint>

#include "dtypes.h"

namespace opweave {

using at::Scalar;
using at::Tensor;

enum class Compute : uint8_t { common, int_to_float, first, same };

struct PointwiseSpec {
  const char* name;
  Compute compute;
  bool bool_result;
  uint64_t dtypes;     // in which it may compute
  uint64_t masks;      // bit i: of input i only the truth is read
  uint64_t promoting;  // bit i: parameter i takes part in choosing the dtype
};

template <class T>
constexpr bool kReduced = std::is_same_v<T, at::BFloat16> || std::is_same_v<T, at::Half>;

// What a loop for elements of type T computes in.
template <class T>
using ComputeType = std::conditional_t<kReduced<T>, float, T>;

using Inputs = at::ArrayRef<const Tensor*>;
using Params = at::ArrayRef<Scalar>;

inline ScalarType common_dtype(const PointwiseSpec& spec, Inputs inputs, Params params) {
  ScalarType common = at::ScalarType::Undefined;
  at::native::ResultTypeState state;
  bool plain = spec.promoting == 0;  // tensors of one dtype, each with dimensions
  for (size_t i = 0; i < inputs.size(); ++i) {
    if ((spec.masks >> i & 1) != 0) continue;
    const ScalarType type = inputs[i]->scalar_type();
    if (common == at::ScalarType::Undefined) common = type;
    if (spec.compute == Compute::first) break;
    plain &= type == common && inputs[i]->dim() > 0;
  }
  if (spec.compute != Compute::first && !plain) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if ((spec.masks >> i & 1) == 0)
        state = at::native::update_result_type_state(*inputs[i], state);
    }
    for (size_t i = 0; i < params.size(); ++i) {
      if ((spec.promoting >> i & 1) != 0)
        state = at::native::update_result_type_state(params[i], state);
    }
    common = at::native::result_type(state);
  }
  if (common == at::ScalarType::Undefined) common = at::kBool;  // nothing but truth is read
  if (spec.compute == Compute::int_to_float && c10::isIntegralType(common, /*includeBool=*/true))
    common = c10::typeMetaToScalarType(c10::get_default_dtype());
  return common;
}

// The dtype that a call computes in, which it may.
inline ScalarType checked_dtype(const PointwiseSpec& spec, Inputs inputs, Params params) {
  const ScalarType dtype = common_dtype(spec, inputs, params);
  TORCH_CHECK_NOT_IMPLEMENTED((spec.dtypes & dtype_bit(dtype)) != 0, "\"", spec.name,
                              "\" not implemented for '", c10::toString(dtype), "'");
  if (spec.compute != Compute::same) return dtype;
  for (size_t i = 0; i < inputs.size(); ++i)
    TORCH_CHECK((spec.masks >> i & 1) != 0 || inputs[i]->scalar_type() == dtype, spec.name,
                "(): expected tensors of one dtype, got ", c10::toString(dtype), " and ",
                c10::toString(inputs[i]->scalar_type()));
  return dtype;
}

// Where tensors without dimensions lie does not matter.
inline at::Device common_device(const PointwiseSpec& spec, Inputs inputs) {
  const Tensor* first = nullptr;
  for (const Tensor* input : inputs) {
    if (input->dim() > 0 && first == nullptr) first = input;
  }
  const at::Device device = (first == nullptr ? *inputs[0] : *first).device();
  for (const Tensor* input : inputs)
    TORCH_CHECK(input->dim() == 0 || input->device() == device, spec.name,
                "(): expected all tensors on ", device, ", one is on ", input->device());
  return device;
}

}  // namespace opweave
