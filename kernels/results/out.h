// Writing results to the tensors that a caller gave as `out`.
#pragma once

#include <span>
#include <string_view>

#include "runtime/rules/result_spec.h"

namespace opweave {

// One `out` tensor while a kernel runs. Resized to the result's sizes; the kernel writes it itself
// if dtype and layout are those that it expects and no input lies in its memory, and otherwise a
// tensor that is copied in the end.
//
// RuntimeError, before anything is written, where the dtype cannot hold the result, the device is
// another one, several elements lie in one place, or an input lies partly in it.
class OutTensor {
 public:
  OutTensor(std::string_view op, Tensor& out, const ResultSpec& spec,
            std::span<const TensorList> inputs);

  Tensor& target() { return target_; }
  void finish();

 private:
  Tensor& out_;
  Tensor target_;
};

}  // namespace opweave
