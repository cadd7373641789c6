// What ow::Tensor has besides its generated methods, and the types its functions take.
#pragma once

#include <optional>
#include <vector>

#include "kernels/initialize/initialize.h"
#include "runtime/core/random/generator.h"
#include "runtime/core/tensor/tensor.h"
#include "runtime/core/threads/thread_state.h"

namespace ow {

using opweave::Device;
using opweave::DoubleList;
using opweave::Generator;
using opweave::IntList;
using opweave::Layout;
using opweave::ListRef;
using opweave::manual_seed;
using opweave::MemoryFormat;
using opweave::NoGradGuard;
using opweave::Scalar;
using opweave::ScalarType;
#define OW_DTYPE(id, ...) using opweave::k##id;
#include "dtypes/dtypes.def"

// Registers the built-in operators before main(), in every program that includes the front end.
inline const bool initialized = (opweave::initialize(), true);

class Tensor;

// Inside it, `Tensor` is the name of its base class; what users get is written ow::Tensor.
class TensorBase : public opweave::Tensor {
 public:
  TensorBase() = default;
  TensorBase(opweave::Tensor t) : opweave::Tensor(std::move(t)) {}  // NOLINT: the same thing

  // The gradient that backward() accumulated; undefined if there is none.
  ow::Tensor grad() const;
  void set_grad(const opweave::Tensor& grad) const;
  // Sets the flag of a leaf and returns the tensor. RuntimeError unless floating-point.
  const ow::Tensor& requires_grad_(bool value = true) const;
  // Accumulates d(self)/d(leaf) into every leaf's grad. `gradient` may be left out for one element.
  // The graph is freed unless `retain_graph`, which is like `create_graph` when not given.
  void backward(const opweave::Tensor& gradient = {}, std::optional<bool> retain_graph = {},
                bool create_graph = false) const;
};

// A list of tensors as an argument: `{a, b}` or a vector.
class TensorArgs {
 public:
  TensorArgs(std::initializer_list<opweave::Tensor> tensors) : tensors_(tensors) {}   // NOLINT
  TensorArgs(const std::vector<Tensor>& tensors);                                     // NOLINT
  TensorArgs(std::vector<opweave::Tensor> tensors) : tensors_(std::move(tensors)) {}  // NOLINT
  operator opweave::TensorList() const { return tensors_; }                           // NOLINT

 private:
  std::vector<opweave::Tensor> tensors_;
};

std::vector<Tensor> to_front(std::vector<opweave::Tensor> tensors);

}  // namespace ow
