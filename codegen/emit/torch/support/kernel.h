// What handwritten kernels know of tensors: the part of Opweave's Tensor that has another name in
// PyTorch, dtypes as types, and loops on several threads.
#pragma once

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/DeviceGuard.h>

#include <initializer_list>
#include <utility>

#include "rules.h"
#include "visit_dtype.h"

namespace opweave {

using BFloat16 = at::BFloat16;
using Half = at::Half;
using at::Device;
using at::Layout;
using at::MemoryFormat;
using IntList = at::IntArrayRef;
using DoubleList = at::ArrayRef<double>;
using DimVector = c10::SmallVector<int64_t, 5>;

// PyTorch's own class of lists that there may be none of, as kernels take them.
inline std::optional<IntList> optional_list(at::OptionalIntArrayRef list) {
  return list.has_value() ? std::optional<IntList>(*list) : std::nullopt;
}

// The dtype of elements of type T.
template <class T>
inline constexpr ScalarType scalar_type_of = c10::CppTypeToScalarType<T>::value;

inline bool is_floating(ScalarType dtype) { return at::isFloatingType(dtype); }
inline bool is_integral(ScalarType dtype, bool include_bool) {
  return at::isIntegralType(dtype, include_bool);
}
inline size_t element_size(ScalarType dtype) { return c10::elementSize(dtype); }

class Scalar : public at::Scalar {
 public:
  using at::Scalar::Scalar;
  Scalar() = default;
  Scalar(const at::Scalar& number) : at::Scalar(number) {}  // NOLINT: the same thing

  bool is_floating() const { return isFloatingPoint(); }
  bool is_bool() const { return isBoolean(); }
  bool is_integral(bool include_bool) const { return isIntegral(include_bool); }
  double to_double() const { return toDouble(); }
  int64_t to_long() const { return toLong(); }
  bool to_bool() const { return toBool(); }
};

class Tensor : public at::Tensor {
 public:
  Tensor() = default;
  Tensor(at::Tensor tensor) : at::Tensor(std::move(tensor)) {}  // NOLINT: the same thing

  ScalarType dtype() const { return scalar_type(); }
  void* raw_data() const { return const_cast<void*>(const_data_ptr()); }
  // RuntimeError where elements are of another type.
  template <class T>
  T* data() const {
    OW_CHECK(dtype() == scalar_type_of<T>, "expected scalar type ", scalar_type_of<T>,
             " but found ", dtype());
    return static_cast<T*>(raw_data());
  }
};

using TensorList = c10::ArrayRef<Tensor>;

// An argument that a kernel writes. Kernels ask for memory in one way, whether they write it or
// not: a tensor that shares its own with others until somebody writes has to be told beforehand.
inline Tensor for_writing(const at::Tensor& tensor) {
  tensor.mutable_data_ptr();
  return tensor;
}

inline Tensor contiguous(const Tensor& tensor) { return tensor.at::Tensor::contiguous(); }

// A new tensor whose elements are not set, contiguous or of the given strides.
inline Tensor make_tensor(IntList sizes, ScalarType dtype, Device device) {
  return at::empty(sizes, at::TensorOptions().dtype(dtype).device(device));
}
inline Tensor make_tensor_strided(IntList sizes, IntList strides, ScalarType dtype, Device device) {
  return at::empty_strided(sizes, strides, at::TensorOptions().dtype(dtype).device(device));
}
// Another look at the same memory.
inline Tensor make_alias(const Tensor& self, IntList sizes, IntList strides, int64_t offset) {
  return at::as_strided(self, sizes, strides, offset);
}
// IndexError outside [-ndim, ndim).
inline int64_t wrap_dim(int64_t dim, int64_t ndim, bool scalar_as_1d = true) {
  return at::maybe_wrap_dim(dim, ndim, scalar_as_1d);
}

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

}  // namespace opweave
