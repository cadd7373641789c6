// Choice and launch of pointwise kernels.
#include "kernels/cuda/pointwise/run.h"

#include "kernels/cuda/device.h"
#include "runtime/core/error.h"

namespace opweave::cuda {
namespace {

void launch(const PointwiseSpec& spec, const PointwiseLoops& loops, const PointwisePlan& plan,
            Device device, std::span<const Scalar> params) {
  if (plan.numel == 0) return;
  OW_CHECK(plan.ndim <= kMaxDeviceDims, spec.name, "(): more than ", kMaxDeviceDims,
           " dimensions that cannot be merged are not supported on cuda");
  PointwiseLaunch kernel = plan.trivial ? loops.dense(plan.common) : nullptr;
  if (kernel == nullptr) kernel = loops.strided(plan.common);
  OW_CHECK_NOT_IMPLEMENTED(kernel != nullptr, "\"", spec.name, "\" not implemented for '",
                           scalar_type_name(plan.common), "' on cuda");
  const DeviceGuard guard(device);
  kernel(plan, params.data(), current_stream(device));
  check_cuda(cudaGetLastError(), spec.name);
}

}  // namespace

PointwiseLaunch PointwiseLoops::strided(ScalarType common) const {
  if (common == kBool) return strided_bool;
  if (is_integral(common, false)) return strided_integer;
  return common == kDouble ? strided_double : strided_float;
}

PointwiseLaunch PointwiseLoops::dense(ScalarType common) const {
  switch (common) {
    case ScalarType::kFloat:
      return dense_float;
    case ScalarType::kHalf:
      return dense_half;
    case ScalarType::kBFloat16:
      return dense_bfloat16;
    default:
      return nullptr;
  }
}

Tensor run_pointwise(const PointwiseSpec& spec, const PointwiseLoops& loops, TensorRefs inputs,
                     std::span<const Scalar> params) {
  PointwisePlan plan;
  Tensor out = plan_pointwise(spec, inputs, params, plan);
  launch(spec, loops, plan, out.device(), params);
  return out;
}

void run_pointwise_into(const PointwiseSpec& spec, const PointwiseLoops& loops, Tensor& out,
                        bool resize, TensorRefs inputs, std::span<const Scalar> params) {
  PointwisePlan plan;
  plan_pointwise_into(spec, out, resize, inputs, params, plan);
  launch(spec, loops, plan, out.device(), params);
}

}  // namespace opweave::cuda
