// The operators that autograd itself needs. It lies below the generated code, which therefore hands
// them to it; calls are dispatched, so they are recorded like any other.
#pragma once

#include <optional>

#include "runtime/core/tensor/tensor.h"

namespace opweave {

struct EngineOperators {
  Tensor (*add)(const Tensor& self, const Tensor& other, const Scalar& alpha);
  Tensor& (*add_)(Tensor& self, const Tensor& other, const Scalar& alpha);
  Tensor& (*copy_)(Tensor& self, const Tensor& src, bool non_blocking);
  Tensor (*as_strided)(const Tensor& self, IntList size, IntList stride,
                       std::optional<int64_t> storage_offset);
  Tensor (*sum_to_size)(const Tensor& self, IntList size);
  Tensor& (*fill_)(Tensor& self, const Scalar& value);
  // Whose elements are not set; with the examples of `like`, where that stands for several.
  Tensor (*new_empty)(const Tensor& like, IntList size, ScalarType dtype, Device device);
  Tensor (*isnan)(const Tensor& self);
  Tensor (*any)(const Tensor& self);
  Scalar (*item)(const Tensor& self);
  Tensor (*detach)(const Tensor& self);
  Tensor (*ones_like)(const Tensor& self);
  Tensor (*zeros_like)(const Tensor& self);
  // Always a copy.
  Tensor (*convert)(const Tensor& self, ScalarType dtype, Device device);
};

namespace detail {
extern EngineOperators engine_operators;
}
// Before the first backward pass; again with the same ones changes nothing.
void set_engine_operators(const EngineOperators& operators);

namespace engine_ops {

inline Tensor add(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  return detail::engine_operators.add(self, other, alpha);
}
inline Tensor& add_(Tensor& self, const Tensor& other, const Scalar& alpha) {
  return detail::engine_operators.add_(self, other, alpha);
}
inline Tensor& copy_(Tensor& self, const Tensor& src, bool non_blocking) {
  return detail::engine_operators.copy_(self, src, non_blocking);
}
inline Tensor& fill_(Tensor& self, const Scalar& value) {
  return detail::engine_operators.fill_(self, value);
}
inline Tensor as_strided(const Tensor& self, IntList size, IntList stride,
                         std::optional<int64_t> storage_offset) {
  return detail::engine_operators.as_strided(self, size, stride, storage_offset);
}
inline Tensor sum_to_size(const Tensor& self, IntList size) {
  return detail::engine_operators.sum_to_size(self, size);
}
// A copy in another dtype or on another device, differentiably.
inline Tensor convert(const Tensor& gradient, ScalarType dtype, Device device) {
  return detail::engine_operators.convert(gradient, dtype, device);
}

// What a tensor like `contents` can be written to: has its examples where it stands for several, as
// gradients do under vmap. Elements are not set.
Tensor buffer_for(const Tensor& contents, IntList sizes, IntList strides, ScalarType dtype,
                  Device device);
// Its two steps. What was written into parts of the memory is seen by what is laid out of it then:
// tensors that were made before may lack what comes beside elements, such as tangents.
Tensor memory_for(const Tensor& contents, IntList sizes, IntList strides, ScalarType dtype,
                  Device device);
Tensor laid_out(const Tensor& memory, IntList sizes, IntList strides);
Tensor full(IntList sizes, const Scalar& value, ScalarType dtype, Device device);
// Whether nothing below autograd knows more of a tensor than its sizes, dtype, device and memory.
// What is not plain is made by operators of it, so that the new tensor is of its kind.
bool is_plain(const Tensor& t);
// The same elements without history.
Tensor alias_of(const Tensor& t);
// Of ones or zeros, in the sizes of a tensor.
Tensor ones_like(const Tensor& like);
Tensor zeros_like(const Tensor& like);
bool has_nan(const Tensor& gradient);

}  // namespace engine_ops
}  // namespace opweave
