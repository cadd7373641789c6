// Runs pointwise operators on the CPU: straight over memory where nothing has to be prepared.
#include "kernels/cpu/pointwise/run.h"

#include "kernels/cpu/pointwise/execute.h"

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

// Whether `out` can be written as it is: dense, of the inputs' shape and the kernel's type, and not
// the memory of an input unless it is that tensor.
bool takes_result(const Tensor& out, ScalarType dtype, TensorRefs inputs) {
  if (out.dtype() != dtype || !out.is_contiguous()) return false;
  if (out.impl() != inputs[0]->impl()) {
    if (out.device() != inputs[0]->device() || !same_sizes(out.sizes(), inputs[0]->sizes())) {
      return false;
    }
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

Tensor run_pointwise(const PointwiseSpec& spec, const PointwiseLoops& loops, TensorRefs inputs,
                     std::span<const Scalar> params) {
  const ScalarType common = direct_type(spec, inputs, params);
  if (common != ScalarType::kUndefined) [[likely]] {
    Tensor out = make_tensor(inputs[0]->sizes(), result_type(spec, common), kCPU);
    run_direct(spec, loops.of(common), common, out, inputs, params.data());
    return out;
  }
  PointwisePlan plan;
  Tensor out = plan_pointwise(spec, inputs, params, plan);
  execute(spec, loops, plan, params);
  return out;
}

void run_pointwise_into(const PointwiseSpec& spec, const PointwiseLoops& loops, Tensor& out,
                        bool resize, TensorRefs inputs, std::span<const Scalar> params) {
  const ScalarType common = direct_type(spec, inputs, params);
  if (common != ScalarType::kUndefined && takes_result(out, result_type(spec, common), inputs))
      [[likely]] {
    return run_direct(spec, loops.of(common), common, out, inputs, params.data());
  }
  PointwisePlan plan;
  plan_pointwise_into(spec, out, resize, inputs, params, plan);
  execute(spec, loops, plan, params);
}

}  // namespace opweave::cpu
