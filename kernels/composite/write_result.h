// What generated in-place and out forms do with the result of the functional form.
#pragma once

#include <optional>
#include <string_view>

#include "kernels/composite/recording.h"
#include "runtime/core/tensor/tensor.h"
#include "runtime/rules/out_dtype.h"
#include "runtime/rules/overlap.h"

namespace opweave {

// A copy of `self`, to be differentiated through.
Tensor copy_before_write(const Tensor& self);
// `self`, or a copy of it where a node that is recorded now, for it or for the tensors beside it,
// may keep it.
template <class... T>
Tensor value_before_write(const Tensor& self, const T&... others) {
  return composite::recording(self, others...) ? copy_before_write(self) : self;
}
// The same for what is not differentiated through, whose own node saves what it needs: only under
// vmap, where autograd sees the values instead.
Tensor value_before_batched_write(const Tensor& self);
// `out` must not lie partly in what is read.
void check_out_overlap(const Tensor& out, const Tensor& input);
inline void check_out_overlap(const Tensor& out, TensorList inputs) {
  for (const Tensor& input : inputs) check_out_overlap(out, input);
}
// An in-place form computes in the dtype that its tensor has.
void check_inplace_dtype(const Tensor& self, std::optional<ScalarType> dtype);
// What a factory makes for `out`: of its dtype and on its device, if nothing else is asked for.
// To ask for the default, `dtype`, is to ask for nothing.
std::optional<ScalarType> as_of_out(std::optional<ScalarType> dtype, const Tensor& out,
                                    std::optional<ScalarType> otherwise = {});
std::optional<Device> as_of_out(std::optional<Device> device, const Tensor& out);
// What is computed in the dtype of `out` if no other is asked for.
inline ScalarType asked_or_of(std::optional<ScalarType> dtype, const Tensor& out) {
  return dtype.value_or(out.dtype());
}
// Copies `result` into `self`, whose shape must be the same and to whose dtype it must cast.
void write_inplace(std::string_view op, Tensor& self, const Tensor& result);
// Resizes `out` to `result`'s shape and copies. The dtype must be allowed, the device the same.
void write_out(std::string_view op, Tensor& out, const Tensor& result, OutDtype allowed);
// The same of a vector, which fills an `out` of as many elements as it is.
void write_range(std::string_view op, Tensor& out, const Tensor& result);

}  // namespace opweave
