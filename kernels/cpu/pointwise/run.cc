// Runs pointwise operators on the CPU: straight over memory where nothing has to be prepared.
#include "kernels/cpu/pointwise/run.h"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/pointwise/convert.h"
#include "kernels/cpu/pointwise/execute.h"
#include "kernels/cpu/pointwise/tiling.h"
#include "runtime/pointwise/layers.h"

namespace opweave::cpu {
namespace {

// The type whose kernel can run over the tensors as they are, or kUndefined.
ScalarType direct_type(const PointwiseSpec& spec, TensorRefs inputs,
                       std::span<const Scalar> params) {
  const ScalarType common = common_type_if_uniform(spec, inputs, params);
  return contains(dtypes::kComputedWider, common) ? ScalarType::kUndefined : common;
}

void run_direct(const PointwiseSpec& spec, const PointwiseLoop loop, ScalarType common,
                const Tensor& out, TensorRefs inputs, const Scalar* params) {
  const void* data[kMaxPointwiseInputs];
  for (size_t i = 0; i < inputs.size(); ++i) data[i] = inputs[i]->raw_data();
  const int64_t n = out.numel();
  if (n <= kGrainSize) {
    loop(out.raw_data(), data, params, n);
  } else {
    run_line(spec, loop, common, out.raw_data(), data, params, n);
  }
}

template <class T>
void repeat_first(void* elements, int64_t n) {
  T value;
  std::memcpy(&value, elements, sizeof(T));
  std::fill_n(static_cast<T*>(elements), n, value);
}

// A small tensor and a number, `a + 1`: the number as a block of elements needs no plan.
struct NumberCall {
  ScalarType common = ScalarType::kUndefined;  // if it is not such a call
  int number;                                  // which input

  NumberCall(const PointwiseSpec& spec, TensorRefs inputs, std::span<const Scalar> params) {
    if (inputs.size() != 2) return;
    number = inputs[0]->defined() && inputs[0]->impl()->is_wrapped_number() ? 0 : 1;
    if (inputs[1 - number]->defined() && inputs[1 - number]->numel() > kGrainSize) return;
    const ScalarType type = common_type_with_number(spec, inputs, params, number);
    if (!contains(dtypes::kComputedWider, type)) common = type;
  }
  explicit operator bool() const { return common != ScalarType::kUndefined; }

  void run(const PointwiseLoop loop, const Tensor& out, TensorRefs inputs,
           const Scalar* params) const {
    alignas(64) char block[kBlock * 8];
    const Tensor& value = *inputs[number];
    const Tensor& other = *inputs[1 - number];
    const int64_t n = other.numel();
    fill(block, value, std::min(n, kBlock));
    auto* to = static_cast<char*>(out.raw_data());
    const auto* from = static_cast<const char*>(other.raw_data());
    for (int64_t i = 0; i < n; i += kBlock) {
      const void* data[2];
      data[number] = block;
      data[1 - number] = from + i * static_cast<int64_t>(other.element_size());
      loop(to + i * static_cast<int64_t>(out.element_size()), data, params,
           std::min(kBlock, n - i));
    }
  }

 private:
  void fill(char* block, const Tensor& value, int64_t n) const {
    if (n == 0) return;
    convert(block, common, value.raw_data(), value.dtype(), 1);
    switch (element_size(common)) {
      case 1:
        return repeat_first<uint8_t>(block, n);
      case 2:
        return repeat_first<uint16_t>(block, n);
      case 4:
        return repeat_first<uint32_t>(block, n);
      default:
        return repeat_first<uint64_t>(block, n);
    }
  }
};

// Whether `out` can be written as it is: dense, of the kernel's type and the shape of the input
// that gives the result's, and not the memory of an input unless it is that tensor.
bool takes_result(const Tensor& out, ScalarType dtype, TensorRefs inputs, const Tensor& shaped) {
  if (out.dtype() != dtype || !out.is_contiguous()) return false;
  if (out.impl() != shaped.impl()) {
    if (out.device() != shaped.device() || !same_sizes(out.sizes(), shaped.sizes())) return false;
  }
  for (const Tensor* input : inputs) {
    if (input->impl() != out.impl() && input->storage() == out.storage()) return false;
  }
  return true;
}

ScalarType result_type(const PointwiseSpec& spec, ScalarType common) {
  return spec.result == OperandKind::kBool ? kBool : common;
}

}  // namespace

[[gnu::hot]] Tensor run_pointwise(const PointwiseSpec& spec, const PointwiseLoops& loops,
                                  TensorRefs inputs, std::span<const Scalar> params) {
  const ScalarType common = direct_type(spec, inputs, params);
  if (common != ScalarType::kUndefined) [[likely]] {
    Tensor out = make_tensor(inputs[0]->sizes(), result_type(spec, common), kCPU);
    run_direct(spec, loops.of(common), common, out, inputs, params.data());
    return out;
  }
  if (const NumberCall call(spec, inputs, params); call) {
    Tensor out =
        make_tensor(inputs[1 - call.number]->sizes(), result_type(spec, call.common), kCPU);
    call.run(loops.of(call.common), out, inputs, params.data());
    return out;
  }
  PointwisePlan plan;
  Tensor out = plan_pointwise(spec, inputs, params, plan);
  execute(spec, loops, plan, params);
  return out;
}

[[gnu::hot]] void run_pointwise_into(const PointwiseSpec& spec, const PointwiseLoops& loops,
                                     Tensor& out, bool resize, TensorRefs inputs,
                                     std::span<const Scalar> params) {
  const ScalarType common = direct_type(spec, inputs, params);
  if (common != ScalarType::kUndefined &&
      takes_result(out, result_type(spec, common), inputs, *inputs[0])) [[likely]] {
    return run_direct(spec, loops.of(common), common, out, inputs, params.data());
  }
  if (const NumberCall call(spec, inputs, params);
      call && takes_result(out, result_type(spec, call.common), inputs, *inputs[1 - call.number])) {
    return call.run(loops.of(call.common), out, inputs, params.data());
  }
  if (writes_layers(spec, out, resize)) [[unlikely]] {
    return write_layers(spec, out, inputs, [&](Tensor& layer, TensorRefs parts) {
      run_pointwise_into(spec, loops, layer, resize, parts, params);
    });
  }
  PointwisePlan plan;
  plan_pointwise_into(spec, out, resize, inputs, params, plan);
  execute(spec, loops, plan, params);
}

}  // namespace opweave::cpu
