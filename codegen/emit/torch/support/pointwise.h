// How the generated expressions are evaluated on CPU tensors: shapes broadcast as PyTorch does it,
// and one loop over memory, vectorised for floats.
#pragma once

#include <ATen/EmptyTensor.h>
#include <ATen/Parallel.h>
#include <ATen/TensorIterator.h>

#include "division.h"
#include "operators.h"
#include "pointwise_call.h"
#include "vocabulary.h"

namespace opweave {

// Over `count` elements: the result and the inputs, with the bytes between their elements.
using Loop = void (*)(char* const* data, const int64_t* strides, int64_t count,
                      const Scalar* params);

template <class Expression, int kInputs, int kParams, uint64_t kMasks, bool kBoolResult>
struct Loops {
  using Inputs = std::make_index_sequence<kInputs>;
  using Params = std::make_index_sequence<kParams>;

  template <class T>
  static void run(char* const* data, const int64_t* strides, int64_t count, const Scalar* params) {
    std::array<ComputeType<T>, kParams> values{};
    for (int i = 0; i < kParams; ++i) values[i] = params[i].to<ComputeType<T>>();
    int64_t done = 0;
    if constexpr (std::is_floating_point_v<ComputeType<T>> && kMasks == 0 && !kBoolResult) {
      if (is_dense<T>(strides)) done = vectors<T>(data, strides, count, values, Inputs(), Params());
    }
    for (int64_t i = done; i < count; ++i) element<T>(data, strides, i, values, Inputs(), Params());
  }

 private:
  // Elements side by side, or one for all.
  template <class T>
  static bool is_dense(const int64_t* strides) {
    bool dense = strides[0] == sizeof(T);
    for (int i = 1; i <= kInputs; ++i) dense &= strides[i] == sizeof(T) || strides[i] == 0;
    return dense;
  }

  template <class T, int kInput>
  static auto load(char* const* data, const int64_t* strides, int64_t i) {
    const char* at = data[kInput + 1] + i * strides[kInput + 1];
    if constexpr ((kMasks >> kInput & 1) != 0)
      return *reinterpret_cast<const bool*>(at);
    else
      return static_cast<ComputeType<T>>(*reinterpret_cast<const T*>(at));
  }

  template <class T, class Values, size_t... kI, size_t... kP>
  static void element(char* const* data, const int64_t* strides, int64_t i, const Values& values,
                      std::index_sequence<kI...>, std::index_sequence<kP...>) {
    using Result = std::conditional_t<kBoolResult, bool, T>;
    *reinterpret_cast<Result*>(data[0] + i * strides[0]) = static_cast<Result>(
        Expression::apply(One<ComputeType<T>>(), load<T, kI>(data, strides, i)..., values[kP]...));
  }

  // Whole vectors, then what is left of one; gives how many elements that were.
  template <class T, class Values, size_t... kI, size_t... kP>
  static int64_t vectors(char* const* data, const int64_t* strides, int64_t count,
                         const Values& values, std::index_sequence<kI...>,
                         std::index_sequence<kP...>) {
    using V = at::vec::Vectorized<ComputeType<T>>;
    const std::array<V, kParams> params{V(values[kP])...};
    const auto apply = [&](const auto&... inputs) {
      return Expression::apply(Lanes<ComputeType<T>>(), inputs..., params[kP]...);
    };
    constexpr int64_t kStep = at::vec::Vectorized<T>::size();
    for (int64_t i = 0; i < count; i += kStep) {
      const int64_t n = std::min(kStep, count - i);
      store<T>(data[0] + i * sizeof(T), n,
               apply_to<T>(apply, vector<T>(data[kI + 1], strides[kI + 1], i, n)...));
    }
    return count;
  }

  template <class T>
  static at::vec::Vectorized<T> vector(const char* data, int64_t stride, int64_t i, int64_t n) {
    using V = at::vec::Vectorized<T>;
    if (stride == 0) return V(*reinterpret_cast<const T*>(data));
    const char* at = data + i * static_cast<int64_t>(sizeof(T));
    return n == V::size() ? V::loadu(at) : V::loadu(at, n);
  }

  // 16-bit floats are computed with as two vectors of floats.
  template <class T, class Apply, class... V>
  static auto apply_to(const Apply& apply, const V&... inputs) {
    if constexpr (kReduced<T>) {
      const auto wide = std::make_tuple(at::vec::convert_to_float<T>(inputs)...);
      const auto half = [&](auto part) {
        return std::apply([&](const auto&... pair) { return apply(std::get<part()>(pair)...); },
                          wide);
      };
      return at::vec::convert_from_float<T>(half(std::integral_constant<int, 0>()),
                                            half(std::integral_constant<int, 1>()));
    } else {
      return apply(inputs...);
    }
  }

  template <class T>
  static void store(char* to, int64_t n, const at::vec::Vectorized<T>& value) {
    n == at::vec::Vectorized<T>::size() ? value.store(to) : value.store(to, n);
  }
};

// The loop for a dtype; null for those in which the operator does not compute.
template <class L, uint64_t kDtypes>
Loop loop_for(ScalarType type) {
  switch (type) {
#define OW_LOOP(T, id)                                                               \
  case at::k##id:                                                                    \
    if constexpr ((kDtypes & dtype_bit(at::k##id)) != 0) return &L::template run<T>; \
    break;
    OW_FORALL_COMMON(OW_LOOP)
#undef OW_LOOP
    default:
      break;
  }
  return nullptr;
}

inline bool lie_alike(const Tensor& a, const Tensor& b) {
  return a.sizes() == b.sizes() && a.strides() == b.strides();
}

// All inputs lie in memory in one way and without gaps: one loop from front to back.
inline bool run_flat(Loop loop, Inputs inputs, const Scalar* params, ScalarType dtype,
                     ScalarType result, const PointwiseSpec& spec, Tensor& out) {
  const Tensor& first = *inputs[0];
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ScalarType wanted = (spec.masks >> i & 1) != 0 ? at::kBool : dtype;
    if (inputs[i]->scalar_type() != wanted || inputs[i]->is_neg() || !lie_alike(*inputs[i], first))
      return false;
  }
  if (!first.is_non_overlapping_and_dense()) return false;
  out = first.is_contiguous()
            ? Tensor(at::detail::empty_cpu(first.sizes(), result, std::nullopt, std::nullopt,
                                           std::nullopt, std::nullopt))
            : Tensor(at::detail::empty_strided_cpu(first.sizes(), first.strides(), result));
  c10::SmallVector<char*, 6> data{static_cast<char*>(out.mutable_data_ptr())};
  c10::SmallVector<int64_t, 6> strides{static_cast<int64_t>(out.element_size())};
  for (const Tensor* input : inputs) {
    data.push_back(static_cast<char*>(const_cast<void*>(input->const_data_ptr())));
    strides.push_back(static_cast<int64_t>(input->element_size()));
  }
  const int64_t count = out.numel();
  if (count < at::internal::GRAIN_SIZE) {
    loop(data.data(), strides.data(), count, params);
    return true;
  }
  at::parallel_for(0, count, at::internal::GRAIN_SIZE, [&](int64_t begin, int64_t end) {
    auto part = data;
    for (size_t i = 0; i < part.size(); ++i) part[i] += begin * strides[i];
    loop(part.data(), strides.data(), end - begin, params);
  });
  return true;
}

inline Tensor run_strided(Loop loop, Inputs inputs, const Scalar* params, ScalarType dtype,
                          ScalarType result, const PointwiseSpec& spec) {
  at::TensorIteratorConfig config;
  config.check_all_same_dtype(false).declare_static_dtype_and_device(result, at::kCPU);
  config.add_owned_output(Tensor());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ScalarType wanted = (spec.masks >> i & 1) != 0 ? at::kBool : dtype;
    config.add_owned_const_input(inputs[i]->to(wanted).resolve_neg());
  }
  at::TensorIterator iterator = config.build();
  iterator.for_each([&](char** data, const int64_t* strides, int64_t count) {
    loop(data, strides, count, params);
  });
  return iterator.output();
}

template <class L, uint64_t kDtypes>
Tensor run_pointwise(const PointwiseSpec& spec, Inputs inputs, Params params) {
  const ScalarType dtype = checked_dtype(spec, inputs, params);
  const Loop loop = loop_for<L, kDtypes>(dtype);
  const ScalarType result = spec.bool_result ? at::kBool : dtype;
  Tensor out;
  if (!run_flat(loop, inputs, params.data(), dtype, result, spec, out))
    out = run_strided(loop, inputs, params.data(), dtype, result, spec);
  return out;
}

}  // namespace opweave
