// Choice and launch of pointwise kernels.
#include "kernels/cuda/pointwise/run.h"

#include <cstdint>
#include <vector>

#include "kernels/cuda/device.h"
#include "runtime/core/base/error.h"
#include "runtime/pointwise/layers.h"

namespace opweave::cuda {
namespace {

// Zero-dim CPU tensors follow to the device. The copies live until the kernel is enqueued: what
// reuses their memory afterwards is ordered behind it.
std::vector<Tensor> move_host_operands(PointwisePlan& plan, Device device, cudaStream_t stream) {
  std::vector<Tensor> moved;
  for (int k = 1; k < plan.num_operands; ++k) {
    PointwiseOperand& operand = plan.operands[k];
    if (!operand.on_host) continue;
    moved.push_back(make_tensor(IntList(), operand.dtype, device));
    auto* data = static_cast<char*>(moved.back().raw_data());
    check_cuda(cudaMemcpyAsync(data, operand.data, element_size(operand.dtype),
                               cudaMemcpyHostToDevice, stream),
               "copy of a number");
    operand.data = data;
    operand.on_host = false;
  }
  return moved;
}

// A view may begin anywhere.
bool is_aligned(const PointwisePlan& plan) {
  for (int k = 0; k < plan.num_operands; ++k) {
    const PointwiseOperand& operand = plan.operands[k];
    const size_t alignment = element_size(operand.dtype) * kElementsPerThread;
    if (reinterpret_cast<uintptr_t>(operand.data) % alignment != 0) return false;
  }
  return true;
}

PointwiseLaunch choose(const PointwiseLoops& loops, const PointwisePlan& plan) {
  if (plan.trivial && is_aligned(plan)) {
    if (const PointwiseLaunch dense = loops.dense(plan.common)) return dense;
  }
  return loops.strided(plan.common);
}

}  // namespace

PointwiseLaunch PointwiseLoops::strided(ScalarType common) const {
  if (is_complex(common)) return nullptr;
  if (common == kBool) return strided_bool;
  if (common == kUInt64) return strided_unsigned;  // half of which would be negative in int64
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

void launch_pointwise(std::string_view name, const PointwiseLoops& loops, PointwisePlan& plan,
                      Device device, std::span<const Scalar> params) {
  if (plan.numel == 0) return;
  OW_CHECK(plan.ndim <= kMaxDeviceDims, name, "(): more than ", kMaxDeviceDims,
           " dimensions that cannot be merged are not supported on cuda");
  const DeviceGuard guard(device);
  const cudaStream_t stream = current_handle(device);
  const std::vector<Tensor> moved = move_host_operands(plan, device, stream);
  const PointwiseLaunch kernel = choose(loops, plan);
  OW_CHECK_NOT_IMPLEMENTED(kernel != nullptr, "\"", name, "\" not implemented for '",
                           scalar_type_name(plan.common), "' on cuda");
  kernel(plan, params.data(), stream);
  check_cuda(cudaGetLastError(), name);
}

Tensor run_pointwise(const PointwiseSpec& spec, const PointwiseLoops& loops, TensorRefs inputs,
                     std::span<const Scalar> params) {
  PointwisePlan plan;
  Tensor out = plan_pointwise(spec, inputs, params, plan);
  launch_pointwise(spec.name, loops, plan, out.device(), params);
  return out;
}

void run_pointwise_into(const PointwiseSpec& spec, const PointwiseLoops& loops, Tensor& out,
                        bool resize, TensorRefs inputs, std::span<const Scalar> params) {
  if (writes_layers(spec, out, resize)) [[unlikely]] {
    return write_layers(spec, out, inputs, [&](Tensor& layer, TensorRefs parts) {
      run_pointwise_into(spec, loops, layer, resize, parts, params);
    });
  }
  PointwisePlan plan;
  plan_pointwise_into(spec, out, resize, inputs, params, plan);
  launch_pointwise(spec.name, loops, plan, out.device(), params);
}

}  // namespace opweave::cuda
