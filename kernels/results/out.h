// Writing results to the tensors that a caller gave as `out`.
#pragma once

#include <span>
#include <string_view>

#include "runtime/rules/out_dtype.h"
#include "runtime/rules/overlap.h"
#include "runtime/rules/result_spec.h"

namespace opweave {

// One `out` tensor while a kernel runs. Resized to the result's sizes; the kernel writes it itself
// if dtype and layout are those that it expects and no input lies in its memory, and otherwise a
// tensor that is copied in the end.
//
// RuntimeError, before anything is written, where it may not have its dtype, the device is another
// one, several elements lie in one place, or an input lies partly in it.
class OutTensor {
 public:
  OutTensor(std::string_view op, Tensor& out, const ResultSpec& spec,
            std::span<const TensorList> inputs, OutDtype allowed);

  Tensor& target() { return target_; }
  void finish();

 private:
  Tensor& out_;
  Tensor target_;
};

// RuntimeError where several results would be written to the same memory.
void check_outs_apart(std::span<const Tensor* const> outs);

}  // namespace opweave
