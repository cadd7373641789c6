// Tensors from nothing, or in the image of another tensor.
#include "kernels/composite/new_tensor.h"
#include "kernels/composite/unset.h"
#include "kernels/composite/writing.h"
#include "opweave/kernels/composite/empty.h"
#include "opweave/kernels/composite/empty_like.h"
#include "opweave/kernels/composite/empty_strided.h"
#include "opweave/kernels/composite/full.h"
#include "opweave/kernels/composite/full_like.h"
#include "opweave/kernels/composite/new_empty.h"
#include "opweave/kernels/composite/new_empty_strided.h"
#include "opweave/kernels/composite/new_full.h"
#include "opweave/kernels/composite/new_ones.h"
#include "opweave/kernels/composite/new_zeros.h"
#include "opweave/kernels/composite/ones.h"
#include "opweave/kernels/composite/ones_like.h"
#include "opweave/kernels/composite/scalar_tensor.h"
#include "opweave/kernels/composite/zeros.h"
#include "opweave/kernels/composite/zeros_like.h"
#include "opweave/ops/empty_like.h"
#include "opweave/ops/new_zeros.h"
#include "runtime/batching/batched_tensor.h"
#include "runtime/core/tensor/type_promotion.h"
#include "runtime/core/threads/thread_state.h"
#include "runtime/rules/broadcast.h"
#include "runtime/target/copy.h"

namespace opweave::composite {
namespace {

// Moves a tensor that nobody has seen yet to pinned memory.
void pin(Tensor& t) {
  OW_CHECK(t.in_host_memory(), "Only dense CPU tensors can be pinned");
  t = Tensor(make_intrusive<TensorImpl>(allocate_pinned(t.storage()->nbytes()), t.dtype(),
                                        t.device(), t.sizes(), t.strides()));
}
bool is_to_be_pinned(std::optional<bool> pin_memory) { return pin_memory.value_or(false); }

ScalarType dtype_of(const Scalar& value) {
  if (value.is_complex()) return promote_types(kComplexFloat, default_dtype());
  if (value.is_floating()) return default_dtype();
  return value.is_bool() ? kBool : kLong;  // which one from 2^63 on does not fit
}

}  // namespace

Tensor new_tensor(IntList size, const TensorOptions& options) {
  Tensor t = make_tensor(size, options.dtype.value_or(default_dtype()),
                         options.device.value_or(default_device()));
  if (is_to_be_pinned(options.pin_memory)) [[unlikely]]
    pin(t);
  return t;
}

Tensor zeros_of(IntList sizes, const Tensor& like) {
  if (is_batched(like)) [[unlikely]]
    return opweave::new_zeros(like, sizes);
  const BelowADInplaceOrView guard;  // composites that are differentiated through call it, too
  return zeroed(make_tensor(sizes, like.dtype(), like.device()));
}

Tensor new_tensor_like(const Tensor& like, const TensorOptions& options,
                       std::optional<MemoryFormat> format) {
  if (is_batched(like)) [[unlikely]]
    return opweave::empty_like(like, options.dtype, std::nullopt, options.device);
  const ScalarType dtype = options.dtype.value_or(like.dtype());
  const Device device = options.device.value_or(like.device());
  const MemoryFormat wanted = format.value_or(MemoryFormat::kPreserve);
  const bool plain = wanted == MemoryFormat::kContiguous ||
                     (wanted == MemoryFormat::kPreserve && like.is_contiguous());
  if (plain && !is_to_be_pinned(options.pin_memory)) [[likely]]
    return make_tensor(like.sizes(), dtype, device);
  const DimVector strides = wanted == MemoryFormat::kPreserve ? dense_strides_like(like)
                                                              : strides_for(like.sizes(), wanted);
  Tensor t = make_tensor_strided(like.sizes(), strides, dtype, device);
  if (is_to_be_pinned(options.pin_memory)) [[unlikely]]
    pin(t);
  return t;
}

Tensor empty_memory_format(IntList size, std::optional<ScalarType> dtype, std::optional<Layout>,
                           std::optional<Device> device, std::optional<bool> pin_memory,
                           std::optional<MemoryFormat> memory_format) {
  const TensorOptions options{dtype, device, pin_memory};
  const MemoryFormat format = memory_format.value_or(MemoryFormat::kContiguous);
  if (format == MemoryFormat::kContiguous) return unset(new_tensor(size, options));
  OW_CHECK(format != MemoryFormat::kPreserve,
           "empty(): preserve_format needs a tensor to preserve the format of");
  return empty_strided(size, strides_for(size, format), dtype, {}, device, pin_memory);
}

Tensor empty_strided(IntList size, IntList stride, std::optional<ScalarType> dtype,
                     std::optional<Layout>, std::optional<Device> device,
                     std::optional<bool> pin_memory) {
  OW_CHECK(size.size() == stride.size(),
           "empty_strided(): mismatch in length of strides and shape: ", stride.size(),
           " strides for ", size.size(), " sizes");
  for (int64_t s : stride) OW_CHECK(s >= 0, "empty_strided(): negative strides: ", stride);
  Tensor t = make_tensor_strided(size, stride, dtype.value_or(default_dtype()),
                                 device.value_or(default_device()));
  if (is_to_be_pinned(pin_memory)) [[unlikely]]
    pin(t);
  return unset(std::move(t));
}

Tensor empty_like(const Tensor& self, std::optional<ScalarType> dtype, std::optional<Layout>,
                  std::optional<Device> device, std::optional<bool> pin_memory,
                  std::optional<MemoryFormat> memory_format) {
  return unset(new_tensor_like(self, {dtype, device, pin_memory}, memory_format));
}

Tensor new_empty(const Tensor& self, IntList size, std::optional<ScalarType> dtype,
                 std::optional<Layout>, std::optional<Device> device,
                 std::optional<bool> pin_memory) {
  return unset(new_tensor(size, TensorOptions{dtype, device, pin_memory}.or_of(self)));
}

Tensor new_empty_strided(const Tensor& self, IntList size, IntList stride,
                         std::optional<ScalarType> dtype, std::optional<Layout> layout,
                         std::optional<Device> device, std::optional<bool> pin_memory) {
  const TensorOptions options = TensorOptions{dtype, device, pin_memory}.or_of(self);
  return empty_strided(size, stride, options.dtype, layout, options.device, options.pin_memory);
}

Tensor zeros(IntList size, std::optional<ScalarType> dtype, std::optional<Layout>,
             std::optional<Device> device, std::optional<bool> pin_memory) {
  return zeroed(new_tensor(size, {dtype, device, pin_memory}));
}

Tensor zeros_like(const Tensor& self, std::optional<ScalarType> dtype, std::optional<Layout>,
                  std::optional<Device> device, std::optional<bool> pin_memory,
                  std::optional<MemoryFormat> memory_format) {
  return zeroed(new_tensor_like(self, {dtype, device, pin_memory}, memory_format));
}

Tensor new_zeros(const Tensor& self, IntList size, std::optional<ScalarType> dtype,
                 std::optional<Layout>, std::optional<Device> device,
                 std::optional<bool> pin_memory) {
  return zeroed(new_tensor(size, TensorOptions{dtype, device, pin_memory}.or_of(self)));
}

Tensor ones(IntList size, std::optional<ScalarType> dtype, std::optional<Layout>,
            std::optional<Device> device, std::optional<bool> pin_memory) {
  return filled(new_tensor(size, {dtype, device, pin_memory}), 1);
}

Tensor ones_like(const Tensor& self, std::optional<ScalarType> dtype, std::optional<Layout>,
                 std::optional<Device> device, std::optional<bool> pin_memory,
                 std::optional<MemoryFormat> memory_format) {
  return filled(new_tensor_like(self, {dtype, device, pin_memory}, memory_format), 1);
}

Tensor new_ones(const Tensor& self, IntList size, std::optional<ScalarType> dtype,
                std::optional<Layout>, std::optional<Device> device,
                std::optional<bool> pin_memory) {
  return filled(new_tensor(size, TensorOptions{dtype, device, pin_memory}.or_of(self)), 1);
}

Tensor full(IntList size, const Scalar& fill_value, std::optional<ScalarType> dtype,
            std::optional<Layout>, std::optional<Device> device, std::optional<bool> pin_memory) {
  return filled(new_tensor(size, {dtype.value_or(dtype_of(fill_value)), device, pin_memory}),
                fill_value);
}

Tensor full_like(const Tensor& self, const Scalar& fill_value, std::optional<ScalarType> dtype,
                 std::optional<Layout>, std::optional<Device> device,
                 std::optional<bool> pin_memory, std::optional<MemoryFormat> memory_format) {
  return filled(new_tensor_like(self, {dtype, device, pin_memory}, memory_format), fill_value);
}

Tensor new_full(const Tensor& self, IntList size, const Scalar& fill_value,
                std::optional<ScalarType> dtype, std::optional<Layout>,
                std::optional<Device> device, std::optional<bool> pin_memory) {
  return filled(new_tensor(size, TensorOptions{dtype, device, pin_memory}.or_of(self)), fill_value);
}

Tensor scalar_tensor(const Scalar& s, std::optional<ScalarType> dtype, std::optional<Layout>,
                     std::optional<Device> device, std::optional<bool> pin_memory) {
  return filled(new_tensor({}, {dtype, device, pin_memory}), s);
}

}  // namespace opweave::composite
