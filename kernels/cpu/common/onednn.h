// What all uses of oneDNN primitives share: engine, stream, operands that may need another layout.
#pragma once

#include <dnnl.hpp>

#include "runtime/core/tensor.h"

namespace opweave::cpu {

const dnnl::engine& onednn_engine();
dnnl::stream& onednn_stream();  // of this thread

// Descriptors of float32 tensors in plain layouts.
dnnl::memory::desc onednn_desc(IntList sizes, IntList strides);
inline dnnl::memory::dims onednn_dims(IntList values) { return {values.begin(), values.end()}; }

// One tensor argument of a primitive: the layout it has, the one that the primitive wants, and the
// way from one to the other.
class OnednnOperand {
 public:
  OnednnOperand() = default;
  OnednnOperand(const dnnl::memory::desc& given, const dnnl::memory::desc& wanted, bool is_output);

  bool reorders() const { return reorders_; }
  // The data as the primitive wants it. `scratch` keeps memory alive that was needed for it.
  dnnl::memory input(void* data, Tensor& scratch) const;
  // Where the primitive is to write; finish() then brings it to `data`.
  dnnl::memory output(void* data, Tensor& scratch) const;
  void finish(const dnnl::memory& result, void* data) const;

 private:
  dnnl::memory make_scratch(Tensor& scratch) const;

  dnnl::memory::desc given_, wanted_;
  dnnl::reorder reorder_;
  bool reorders_ = false;
};

}  // namespace opweave::cpu
