// What generated code of a library for every release, and its handwritten kernels, know of tensors:
// the part of the core's Tensor that kernels use, by the same names, over the stable interface. It
// stands in the place of runtime/core/tensor/tensor.h; numbers, lists and dtypes are the core's own
// headers, of which a library keeps nothing but what is compiled into it.
#ifndef OPWEAVE_STABLE_FORM_TENSOR_H_
#define OPWEAVE_STABLE_FORM_TENSOR_H_

#include <span>
#include <utility>
#include <vector>

#include "dtypes/layout.h"
#include "opweave/stable/tensor.h"
#include "runtime/core/base/error.h"
#include "runtime/core/devices/device.h"
#include "runtime/core/numbers/scalar.h"
#include "runtime/core/tensor/dim_vector.h"
#include "runtime/core/tensor/layout.h"

namespace opweave {

// IndexError outside [-ndim, ndim). A tensor without dimensions counts as having one when
// `scalar_as_1d`.
inline int64_t wrap_dim(int64_t dim, int64_t ndim, bool scalar_as_1d = true) {
  const int64_t range = ndim == 0 && scalar_as_1d ? 1 : ndim;
  OW_CHECK_INDEX(range > 0, "Dimension specified as ", dim, " but tensor has no dimensions");
  OW_CHECK_INDEX(dim >= -range && dim < range,
                 "Dimension out of range (expected to be in range of [", -range, ", ", range - 1,
                 "], but got ", dim, ")");
  return dim < 0 ? dim + range : dim;
}

// Not the core's class, which files of the same library that hold loops may name.
inline namespace stable_form {

class OPWEAVE_STABLE_HIDDEN Tensor : public stable::Tensor {
 public:
  Tensor() = default;                                                   // undefined
  Tensor(stable::Tensor tensor) : stable::Tensor(std::move(tensor)) {}  // NOLINT: the same thing

  IntList sizes() const {
    return {stable::api().tensor_sizes(handle()), static_cast<size_t>(dim())};
  }
  IntList strides() const {
    return {stable::api().tensor_strides(handle()), static_cast<size_t>(dim())};
  }
  // Accept negative dimensions; IndexError outside [-dim, dim).
  int64_t size(int64_t d) const { return sizes()[wrap(d)]; }
  int64_t stride(int64_t d) const { return strides()[wrap(d)]; }
  ScalarType dtype() const { return static_cast<ScalarType>(stable::api().tensor_dtype(handle())); }
  ScalarType scalar_type() const { return dtype(); }
  Device device() const {
    const OwDevice device = stable::api().tensor_device(handle());
    return {static_cast<DeviceType>(device.type), static_cast<int8_t>(device.index)};
  }
  size_t element_size() const { return opweave::element_size(dtype()); }
  size_t nbytes() const { return static_cast<size_t>(numel()) * element_size(); }
  bool is_floating_point() const { return is_floating(dtype()); }
  bool is_meta() const { return device().is_meta(); }
  // RuntimeError where elements are of another type.
  template <class T>
  T* data() const {
    OW_CHECK(dtype() == scalar_type_of<T>, "expected scalar type ",
             scalar_type_name(scalar_type_of<T>), " but found ", scalar_type_name(dtype()));
    return static_cast<T*>(raw_data());
  }

  friend void append_to(std::string& out, const Tensor& t) {
    out += t.defined() ? str("tensor of shape ", t.sizes(), " and dtype ", t.dtype())
                       : std::string("undefined tensor");
  }

 private:
  size_t wrap(int64_t d) const {
    return static_cast<size_t>(wrap_dim(d, dim(), /*scalar_as_1d=*/false));
  }
};
static_assert(sizeof(Tensor) == sizeof(OwTensor), "lists of tensors are lists of handles");

using TensorList = ListRef<Tensor>;

// A new tensor whose elements are not set, contiguous or of the given strides.
inline Tensor make_tensor_strided(IntList sizes, IntList strides, ScalarType dtype, Device device) {
  OwTensor made = nullptr;
  stable::check(stable::api().tensor_empty(
      sizes.data(), strides.empty() ? nullptr : strides.data(), static_cast<uint32_t>(sizes.size()),
      static_cast<int32_t>(dtype), {device.type, device.index}, &made));
  return stable::Tensor::owned(made);
}
inline Tensor make_tensor(IntList sizes, ScalarType dtype, Device device) {
  return make_tensor_strided(sizes, {}, dtype, device);
}

// Promotes as a number of Python.
inline Tensor wrapped_number_tensor(const Scalar& value) {
  OwNumber number{};
  number.dtype = static_cast<int8_t>(value.type());
  if (value.is_floating()) {
    number.as.real = value.to_double();
  } else {
    number.as.integer = value.to_long();
  }
  OwTensor made = nullptr;
  stable::check(stable::api().tensor_of_number(number, &made));
  return stable::Tensor::owned(made);
}

}  // namespace stable_form
}  // namespace opweave

#endif  // OPWEAVE_STABLE_FORM_TENSOR_H_
