// WideResult: a result while it is computed in another dtype than its own.
#pragma once

#include "opweave/ops/copy_.h"
#include "runtime/core/tensor.h"

namespace opweave::cpu {

// The result itself where it has the dtype of computation; otherwise a tensor beside it, which
// finish() converts. Undefined for a result that is not wanted.
class WideResult {
 public:
  WideResult(Tensor& out, ScalarType dtype) : out_(out) {
    if (!out.defined()) return;
    wide_ = out.dtype() == dtype ? out : make_tensor(out.sizes(), dtype, out.device());
  }

  Tensor& tensor() { return wide_; }
  void finish() {
    if (wide_.defined() && !wide_.is_same(out_)) opweave::copy_(out_, wide_);
  }

 private:
  Tensor& out_;
  Tensor wide_;
};

}  // namespace opweave::cpu
