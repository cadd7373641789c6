// How the generated expressions are evaluated on CUDA tensors: PyTorch's loops over memory, which
// broadcast and read several elements at once, call them for each element.
#pragma once

#include <ATen/TensorIterator.h>
#include <c10/cuda/CUDAGuard.h>

#include <ATen/native/cuda/Loops.cuh>
#include <utility>

#include "pointwise_call.h"
#include "vocabulary.cuh"

namespace opweave::cuda {

// What elements of type T are computed in: the types of vocabulary.cuh.
template <class T>
using ElementType =
    std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int64_t, ComputeType<T>>;

// An expression as a function of elements.
template <class Expression, class T, uint64_t kMasks, bool kBoolResult, class Inputs, class Params>
struct Element;
template <class Expression, class T, uint64_t kMasks, bool kBoolResult, size_t... kI, size_t... kP>
struct Element<Expression, T, kMasks, kBoolResult, std::index_sequence<kI...>,
               std::index_sequence<kP...>> {
  using C = ElementType<T>;
  using Result = std::conditional_t<kBoolResult, bool, T>;
  template <size_t kInput>
  using Given = std::conditional_t<(kMasks >> kInput & 1) != 0, bool, T>;

  C params[sizeof...(kP) + 1];  // there is no array of none

  static __device__ bool widened(bool x) { return x; }
  template <class From>
  static __device__ C widened(From x) {
    return static_cast<C>(x);
  }
  __device__ Result operator()(Given<kI>... in) const {
    return static_cast<Result>(
        Expression::apply(m::Tag<C>(), widened(in)..., static_cast<C>(params[kP])...));
  }
};

template <class Expression, int kInputs, int kParams, uint64_t kMasks, bool kBoolResult>
struct Kernels {
  template <class T>
  static void run(at::TensorIterator& iterator, Params numbers) {
    using Function = Element<Expression, T, kMasks, kBoolResult, std::make_index_sequence<kInputs>,
                             std::make_index_sequence<kParams>>;
    Function function{};
    for (int i = 0; i < kParams; ++i) function.params[i] = numbers[i].to<typename Function::C>();
    at::native::gpu_kernel(iterator, function);
  }
};

// `K` is Kernels<...>; the dtype is one of `kDtypes`, as checked_dtype() has seen to.
template <class K, uint64_t kDtypes>
void run_for(ScalarType dtype, at::TensorIterator& iterator, Params numbers) {
  switch (dtype) {
#define OW_RUN(T, id)                                    \
  case at::k##id:                                        \
    if constexpr ((kDtypes & dtype_bit(at::k##id)) != 0) \
      return K::template run<T>(iterator, numbers);      \
    break;
    OW_FORALL_COMMON(OW_RUN)
#undef OW_RUN
    default:
      break;
  }
}

template <class K, uint64_t kDtypes>
Tensor run_pointwise(const PointwiseSpec& spec, Inputs inputs, Params numbers) {
  const ScalarType dtype = checked_dtype(spec, inputs, numbers);
  const at::Device device = common_device(spec, inputs);
  const c10::cuda::CUDAGuard guard(device);
  at::TensorIteratorConfig config;
  config.check_all_same_dtype(false).declare_static_dtype_and_device(
      spec.bool_result ? at::kBool : dtype, device);
  config.add_owned_output(Tensor());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ScalarType wanted = (spec.masks >> i & 1) != 0 ? at::kBool : dtype;
    config.add_owned_const_input(inputs[i]->to(device, wanted).resolve_neg());
  }
  at::TensorIterator iterator = config.build();
  if (iterator.numel() > 0) run_for<K, kDtypes>(dtype, iterator, numbers);
  return iterator.output();
}

}  // namespace opweave::cuda
