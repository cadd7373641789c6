// WideResult: a result while it is computed in another dtype or layout than its own.
#pragma once

#include "kernels/cpu/copying/copy.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave::cpu {

// The result itself where it is contiguous and has the dtype of computation; otherwise such a
// tensor beside it, which finish() copies. Undefined for a result that is not wanted.
class WideResult {
 public:
  WideResult(Tensor& out, ScalarType dtype) : out_(out) {
    if (!out.defined()) return;
    const bool fits = out.dtype() == dtype && out.is_contiguous();
    wide_ = fits ? out : make_tensor(out.sizes(), dtype, out.device());
  }

  explicit WideResult(Tensor& out) : WideResult(out, out.dtype()) {}

  Tensor& tensor() { return wide_; }
  void finish() {
    if (wide_.defined() && !wide_.is_same(out_)) copy_elements(out_, wide_);
  }

 private:
  Tensor& out_;
  Tensor wide_;
};

}  // namespace opweave::cpu
