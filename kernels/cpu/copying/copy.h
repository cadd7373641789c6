// Copying and filling CPU memory.
#pragma once

#include "runtime/core/tensor/tensor.h"

namespace opweave::cpu {

// Writes `from`, broadcast and converted, to `to`. Both are on the CPU.
void copy_elements(Tensor& to, const Tensor& from);
// The elements of a tensor in a row: its own where it is contiguous, else a copy's. Refers to the
// tensor, which has to outlive it; counting one more owner would cost more than the test.
class Dense {
 public:
  explicit Dense(const Tensor& t) : Dense(t, t.dtype()) {}
  // Converted where they are of another type.
  Dense(const Tensor& t, ScalarType dtype)
      : tensor_(t.is_contiguous() && t.dtype() == dtype ? &t : &copy_) {
    if (tensor_ == &t) return;
    copy_ = make_tensor(t.sizes(), dtype, t.device());
    copy_elements(copy_, t);
  }
  Dense(const Dense&) = delete;
  Dense& operator=(const Dense&) = delete;

  operator const Tensor&() const { return *tensor_; }  // NOLINT: as the tensor
  const Tensor* operator->() const { return tensor_; }

 private:
  Tensor copy_;
  const Tensor* tensor_;
};
// The tensor itself where it has this dtype, else a copy of it that lies as it does.
Tensor converted(const Tensor& t, ScalarType dtype);
// The tensor itself where it lies in this format, else a copy that does.
Tensor laid_out(const Tensor& t, MemoryFormat format = MemoryFormat::kContiguous);
// Writes one number everywhere. Elements may share memory.
void fill_elements(Tensor& to, const Scalar& value);

}  // namespace opweave::cpu
