// Runs pointwise operators on the CPU: straight over memory where nothing has to be prepared.
#include "kernels/cpu/pointwise/run.h"

#include "kernels/cpu/pointwise/execute.h"

namespace opweave::cpu {
namespace {

// The type whose kernel can run over the tensors as they are, or kUndefined.
ScalarType direct_type(const PointwiseSpec& spec, TensorRefs inputs,
                       std::span<const Scalar> params) {
  const ScalarType common = common_type_if_uniform(spec, inputs, params);
  return is_reduced_float(common) ? ScalarType::kUndefined : common;
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

}  // namespace

Tensor run_pointwise(const PointwiseSpec& spec, const PointwiseLoops& loops, TensorRefs inputs,
                     std::span<const Scalar> params) {
  const ScalarType common = direct_type(spec, inputs, params);
  if (common != ScalarType::kUndefined) [[likely]] {
    const ScalarType dtype = spec.result == OperandKind::kBool ? kBool : common;
    Tensor out = make_tensor(inputs[0]->sizes(), dtype, kCPU);
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
  PointwisePlan plan;
  plan_pointwise_into(spec, out, resize, inputs, params, plan);
  execute(spec, loops, plan, params);
}

}  // namespace opweave::cpu
