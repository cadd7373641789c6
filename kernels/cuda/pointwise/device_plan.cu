// Plans in the form that kernels take.
#include "kernels/cuda/pointwise/make_loops.cuh"

namespace opweave::cuda {

DevicePlan device_plan(const PointwisePlan& plan) {
  DevicePlan device{};
  device.numel = plan.numel;
  device.ndim = plan.ndim;
  for (int d = 0; d < plan.ndim; ++d) device.sizes[d] = plan.sizes[d];
  for (int k = 0; k < plan.num_operands; ++k) {
    device.data[k] = plan.operands[k].data;
    device.dtypes[k] = plan.operands[k].dtype;
    for (int d = 0; d < plan.ndim; ++d) device.strides[k][d] = plan.operands[k].strides[d];
  }
  return device;
}

}  // namespace opweave::cuda
