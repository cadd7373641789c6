// What handwritten kernels know of tensors: the part of Opweave's Tensor that has another name in
// PyTorch, dtypes as types, and loops on several threads.
#pragma once

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>

#include <initializer_list>
#include <utility>

#include "rules.h"
#include "visit_dtype.h"

namespace opweave {

class Tensor : public at::Tensor {
 public:
  Tensor() = default;
  Tensor(at::Tensor tensor) : at::Tensor(std::move(tensor)) {}  // NOLINT: the same thing

  ScalarType dtype() const { return scalar_type(); }
  void* raw_data() const { return const_cast<void*>(const_data_ptr()); }
  template <class T>
  T* data() const {
    return static_cast<T*>(raw_data());
  }
};

using TensorList = c10::ArrayRef<Tensor>;
using at::Scalar;
using IntList = at::IntArrayRef;

inline Tensor contiguous(const Tensor& tensor) { return tensor.at::Tensor::contiguous(); }

inline constexpr int64_t kGrainSize = 32768;

template <class Body>
void parallel_for(int64_t begin, int64_t end, int64_t grain, Body&& body) {
  at::parallel_for(begin, end, grain, std::forward<Body>(body));
}

// A tensor of a call, with the argument's name.
struct TensorArgument {
  const char* name;
  const at::Tensor& tensor;
};
inline void check_devices(const char* op, at::Device device,
                          std::initializer_list<TensorArgument> arguments) {
  for (const TensorArgument& argument : arguments)
    TORCH_CHECK(!argument.tensor.defined() || argument.tensor.device() == device, op,
                "(): argument '", argument.name, "' is on ", argument.tensor.device(),
                ", expected all tensors on ", device);
}

}  // namespace opweave
