// Plans in the form that kernels take.
#include <bit>
#include <cstdlib>

#include "kernels/cuda/pointwise/make_loops.cuh"

namespace opweave::cuda {
namespace {

// Of a divisor below 2^31.
Divider divider_by(int64_t divisor) {
  const auto shift = static_cast<uint32_t>(std::bit_width(static_cast<uint64_t>(divisor - 1)));
  const uint64_t beyond = (uint64_t{1} << shift) - static_cast<uint64_t>(divisor);
  const uint64_t factor = (beyond << 32) / static_cast<uint64_t>(divisor) + 1;
  return {static_cast<uint32_t>(divisor), static_cast<uint32_t>(factor), shift};
}

// The furthest that an operand reaches from its first element, in bytes.
int64_t reach(const PointwisePlan& plan, const PointwiseOperand& operand) {
  int64_t bytes = 0;
  for (int d = 0; d < plan.ndim; ++d) bytes += (plan.sizes[d] - 1) * std::abs(operand.strides[d]);
  return bytes;
}

bool is_narrow(const PointwisePlan& plan) {
  constexpr int64_t kLimit = int64_t{1} << 31;
  bool narrow = plan.numel < kLimit;
  for (int k = 0; k < plan.num_operands; ++k)
    narrow = narrow && reach(plan, plan.operands[k]) < kLimit;
  return narrow;
}

}  // namespace

DevicePlan device_plan(const PointwisePlan& plan) {
  DevicePlan device{};
  device.numel = plan.numel;
  device.ndim = plan.ndim;
  device.narrow = is_narrow(plan);
  for (int d = 0; d < plan.ndim; ++d) {
    device.sizes[d] = plan.sizes[d];
    if (device.narrow) device.dividers[d] = divider_by(plan.sizes[d]);
  }
  for (int k = 0; k < plan.num_operands; ++k) {
    device.data[k] = plan.operands[k].data;
    device.dtypes[k] = plan.operands[k].dtype;
    for (int d = 0; d < plan.ndim; ++d) device.strides[k][d] = plan.operands[k].strides[d];
  }
  return device;
}

}  // namespace opweave::cuda
