// ResultSpec: what one result of a call looks like before any kernel has run. Filled in by the
// rules of operators (generated from `result:`), read by what makes results and by what checks
// `out`.
#pragma once

#include "runtime/core/tensor/tensor.h"

namespace opweave {

class ResultSpec {
 public:
  void set(IntList sizes, ScalarType dtype, Device device);
  // Of a dense layout; contiguous unless they are set, and where there are none.
  void set_strides(IntList strides);

  // Whether there is such a result: gradients that nobody asked for are undefined tensors.
  bool defined() const { return dtype_ != ScalarType::kUndefined; }
  IntList sizes() const { return sizes_; }
  // None where they are contiguous.
  IntList strides() const { return contiguous_ ? IntList() : IntList(strides_); }
  ScalarType dtype() const { return dtype_; }
  Device device() const { return device_; }

  // A new tensor with undefined contents.
  Tensor make() const {
    if (!defined()) return Tensor();
    return contiguous_ ? make_tensor(sizes_, dtype_, device_)
                       : make_tensor_strided(sizes_, strides_, dtype_, device_);
  }
  // Whether a tensor of these sizes is laid out as a kernel expects it.
  bool is_layout_of(const Tensor& t) const {
    return contiguous_ ? t.is_contiguous() : same_sizes(t.strides(), strides_);
  }

 private:
  DimVector sizes_;
  DimVector strides_;
  ScalarType dtype_ = ScalarType::kUndefined;
  Device device_;
  bool contiguous_ = true;
};

}  // namespace opweave
