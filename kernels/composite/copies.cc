// Copies and conversions: clone, contiguous, to; resize_ and item.
#include "kernels/composite/new_tensor.h"
#include "kernels/composite/unset.h"
#include "kernels/composite/writing.h"
#include "opweave/kernels/composite/_to_copy.h"
#include "opweave/kernels/composite/clone.h"
#include "opweave/kernels/composite/contiguous.h"
#include "opweave/kernels/composite/is_same_size.h"
#include "opweave/kernels/composite/item.h"
#include "opweave/kernels/composite/resize_.h"
#include "opweave/kernels/composite/resize_as_.h"
#include "opweave/kernels/composite/to.h"
#include "opweave/ops/_local_scalar_dense.h"
#include "opweave/ops/_to_copy.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/resize_.h"

namespace opweave::composite {
namespace {

Tensor copied(Tensor to, const Tensor& from, bool non_blocking = false) {
  copy_into(to, from, non_blocking);
  return to;
}

struct Conversion {
  std::optional<ScalarType> dtype = {};
  std::optional<Device> device = {};
  std::optional<bool> pin_memory = {};
  bool non_blocking = false;
  bool copy = false;
  std::optional<MemoryFormat> format = {};

  bool changes(const Tensor& t) const {
    if (copy || (dtype && *dtype != t.dtype())) return true;
    if (device && resolve_device(*device) != t.device()) return true;
    return format && *format != MemoryFormat::kPreserve && !t.is_contiguous(*format);
  }
};

Tensor converted(const Tensor& self, const Conversion& c) {
  if (!c.changes(self)) return self;
  return opweave::_to_copy(self, c.dtype, std::nullopt, c.device, c.pin_memory, c.non_blocking,
                           c.format);
}

}  // namespace

Tensor clone(const Tensor& self, std::optional<MemoryFormat> memory_format) {
  return copied(new_tensor_like(self, {}, memory_format), self);
}

Tensor contiguous(const Tensor& self, MemoryFormat memory_format) {
  if (self.is_contiguous(memory_format)) return self;
  OW_CHECK(memory_format != MemoryFormat::kPreserve,
           "preserve memory format is unsupported by the contiguous operator");
  return opweave::clone(self, memory_format);
}

Tensor _to_copy(const Tensor& self, std::optional<ScalarType> dtype, std::optional<Layout>,
                std::optional<Device> device, std::optional<bool> pin_memory, bool non_blocking,
                std::optional<MemoryFormat> memory_format) {
  return copied(new_tensor_like(self, {dtype, device, pin_memory}, memory_format), self,
                non_blocking);
}

Tensor to_dtype_layout(const Tensor& self, std::optional<ScalarType> dtype, std::optional<Layout>,
                       std::optional<Device> device, std::optional<bool> pin_memory,
                       bool non_blocking, bool copy, std::optional<MemoryFormat> memory_format) {
  return converted(self, {dtype, device, pin_memory, non_blocking, copy, memory_format});
}

Tensor to_device(const Tensor& self, Device device, ScalarType dtype, bool non_blocking, bool copy,
                 std::optional<MemoryFormat> memory_format) {
  return converted(self, {dtype, device, {}, non_blocking, copy, memory_format});
}

Tensor to_dtype(const Tensor& self, ScalarType dtype, bool non_blocking, bool copy,
                std::optional<MemoryFormat> memory_format) {
  return converted(self, {dtype, {}, {}, non_blocking, copy, memory_format});
}

Tensor& resize_(Tensor& self, IntList size, std::optional<MemoryFormat> memory_format) {
  OW_CHECK(!self.requires_grad(), "cannot resize variables that require grad");
  const size_t before = self.storage()->nbytes();
  resize_tensor(self, size);
  if (fills_uninitialized()) [[unlikely]]
    unset_from(self, before);
  if (memory_format && *memory_format != MemoryFormat::kContiguous) {
    OW_CHECK(*memory_format != MemoryFormat::kPreserve,
             "resize_(): preserve_format is not supported");
    self.impl()->set_geometry(size, strides_for(size, *memory_format), self.storage_offset());
  }
  return self;
}

Tensor& resize_as_(Tensor& self, const Tensor& the_template,
                   std::optional<MemoryFormat> memory_format) {
  return ops::resize_::call(self, the_template.sizes(), memory_format);
}

bool is_same_size(const Tensor& self, const Tensor& other) {
  return same_sizes(self.sizes(), other.sizes());
}

Scalar item(const Tensor& self) {
  OW_CHECK(self.numel() == 1, "a Tensor with ", self.numel(),
           " elements cannot be converted to Scalar");
  return opweave::_local_scalar_dense(self);
}

}  // namespace opweave::composite
