// What all uses of oneDNN share: engine, stream, signals, operands that may need another layout.
#pragma once

#include <dnnl.hpp>

#include "runtime/core/tensor/tensor.h"

namespace opweave::cpu {

const dnnl::engine& onednn_engine();
dnnl::stream& onednn_stream();  // of this thread

// For primitives that several threads run: the memory that they work in is an argument of each
// call, as onednn_scratch() makes it. oneDNN's own is of the thread that built the primitive, and
// in others too small.
const dnnl::primitive_attr& onednn_own_scratchpad();
// New memory, which `keeper` keeps alive.
dnnl::memory onednn_scratch(const dnnl::memory::desc& desc, Tensor& keeper);

// Descriptors of float32 tensors in plain layouts.
dnnl::memory::desc onednn_desc(IntList sizes, IntList strides);
inline dnnl::memory::dims onednn_dims(IntList values) { return {values.begin(), values.end()}; }

// Holds signals back while oneDNN computes, in this thread and those of the pool; they arrive when
// the last one of a thread ends. oneDNN's products of float32 matrices (2.6: with AVX-512 from 81
// terms on, with AVX2 from some 256) keep their buffer in the stack register: the frame of a
// handler would overwrite the heap below it. Errors of the code itself (SIGSEGV and its like) are
// not held. It costs two system calls a thread, and two parallel regions where there is a pool.
class SignalsHeld {
 public:
  // `pool`: the threads of the pool may take part. Without it oneDNN computes in this thread alone.
  explicit SignalsHeld(bool pool);
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  bool pool_;
  int threads_;  // how many oneDNN would ask for
};

// For how many threads oneDNN builds a primitive: otherwise for those of the thread that asks.
class OnednnPlansFor {
 public:
  explicit OnednnPlansFor(int threads);
  ~OnednnPlansFor();
  OnednnPlansFor(const OnednnPlansFor&) = delete;
  OnednnPlansFor& operator=(const OnednnPlansFor&) = delete;

 private:
  int before_;
};

// One tensor argument of a primitive: the layout it has, the one that the primitive wants, and the
// way from one to the other.
class OnednnOperand {
 public:
  OnednnOperand() = default;
  OnednnOperand(const dnnl::memory::desc& given, const dnnl::memory::desc& wanted, bool is_output);

  // The data as the primitive wants it. `scratch` keeps memory alive that was needed for it.
  dnnl::memory input(void* data, Tensor& scratch) const;
  // Where the primitive is to write; finish() then brings it to `data`.
  dnnl::memory output(void* data, Tensor& scratch) const;
  void finish(const dnnl::memory& result, void* data) const;

 private:
  void reorder(dnnl::memory& from, dnnl::memory& to) const;

  dnnl::memory::desc given_, wanted_;
  dnnl::reorder reorder_;
  dnnl::memory::desc workspace_;
  bool reorders_ = false;
};

}  // namespace opweave::cpu
