// What handwritten kernels know of tensors: the part of Opweave's Tensor that has another name in
// PyTorch, dtypes as types, and loops on several threads.
#pragma once

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>

#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <utility>

#include "rules.h"

namespace opweave {

class Tensor : public at::Tensor {
 public:
  Tensor() = default;
  Tensor(at::Tensor tensor) : at::Tensor(std::move(tensor)) {}  // NOLINT: the same thing

  ScalarType dtype() const { return scalar_type(); }
  void* raw_data() const { return const_cast<void*>(const_data_ptr()); }
  template <class T>
  T* data() const {
    return static_cast<T*>(raw_data());
  }
};

using TensorList = c10::ArrayRef<Tensor>;
using at::Scalar;
using IntList = at::IntArrayRef;
using BFloat16 = at::BFloat16;
using Half = at::Half;

inline Tensor contiguous(const Tensor& tensor) { return tensor.at::Tensor::contiguous(); }

inline constexpr int64_t kGrainSize = 32768;

template <class Body>
void parallel_for(int64_t begin, int64_t end, int64_t grain, Body&& body) {
  at::parallel_for(begin, end, grain, std::forward<Body>(body));
}

// A tensor of a call, with the argument's name.
struct TensorArgument {
  const char* name;
  const at::Tensor& tensor;
};
inline void check_devices(const char* op, at::Device device,
                          std::initializer_list<TensorArgument> arguments) {
  for (const TensorArgument& argument : arguments)
    TORCH_CHECK(!argument.tensor.defined() || argument.tensor.device() == device, op,
                "(): argument '", argument.name, "' is on ", argument.tensor.device(),
                ", expected all tensors on ", device);
}

template <class T>
struct TypeTag {
  using type = T;
};
template <class T>
using compute_type =
    std::conditional_t<std::is_same_v<T, at::Half> || std::is_same_v<T, at::BFloat16>, float, T>;

namespace cpu {

// visit([&]<class T>(TypeTag<T>) { … }) with the element type of one of kDtypes.
template <uint64_t kDtypes = dtypes::kCommon, class Visitor>
void visit_dtype(std::string_view op, ScalarType dtype, Visitor&& visit) {
  switch (dtype) {
#define OW_VISIT(T, id)                                                              \
  case at::k##id:                                                                    \
    if constexpr ((kDtypes & dtype_bit(at::k##id)) != 0) return visit(TypeTag<T>()); \
    break;
    OW_VISIT(bool, Bool)
    OW_VISIT(uint8_t, Byte)
    OW_VISIT(int8_t, Char)
    OW_VISIT(int16_t, Short)
    OW_VISIT(int32_t, Int)
    OW_VISIT(int64_t, Long)
    OW_VISIT(at::Half, Half)
    OW_VISIT(at::BFloat16, BFloat16)
    OW_VISIT(float, Float)
    OW_VISIT(double, Double)
#undef OW_VISIT
    default:
      break;
  }
  TORCH_CHECK_NOT_IMPLEMENTED(false, "\"", op, "\" not implemented for '", c10::toString(dtype),
                              "'");
}
template <class Visitor>
void visit_floating(std::string_view op, ScalarType dtype, Visitor&& visit) {
  visit_dtype<dtypes::kCommonFloating>(op, dtype, std::forward<Visitor>(visit));
}
template <class Visitor>
void visit_float_double(std::string_view op, ScalarType dtype, Visitor&& visit) {
  visit_dtype<dtypes::kCommonFloating & ~dtypes::kReducedFloat>(op, dtype,
                                                                std::forward<Visitor>(visit));
}

}  // namespace cpu
}  // namespace opweave
