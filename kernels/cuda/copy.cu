// copy_ to, from and between CUDA tensors.
#include "kernels/cuda/device.h"
#include "kernels/cuda/pointwise/begin.h"
#include "opweave/kernels/cuda.h"
#include "opweave/ops/copy_.h"
#include "opweave/ops/expand.h"
#include "runtime/core/error.h"

namespace opweave::cuda {
namespace {

struct CopyExpression {
  template <class D, class V>
  static OW_POINTWISE V apply(D, V value) {
    return value;
  }
};

const PointwiseLoops& copy_loops() {
  static const PointwiseLoops loops = make_loops<CopyExpression, 1, 0, kAllDtypes, false>();
  return loops;
}

void copy_on_device(Tensor& self, const Tensor& src) {
  PointwisePlan plan;
  plan_copy(self, src, plan);
  launch_pointwise("copy_", copy_loops(), plan, self.device(), {});
}

// Bytes between host and device, or two devices. Both are dense and of one dtype.
void copy_bytes(const Tensor& self, const Tensor& src, bool non_blocking) {
  const Device device = self.is_cpu() ? src.device() : self.device();
  const DeviceGuard guard(device);
  const cudaStream_t stream = current_stream(device);
  check_cuda(
      cudaMemcpyAsync(self.raw_data(), src.raw_data(), self.nbytes(), cudaMemcpyDefault, stream),
      "copy_");
  // Pageable host memory may be reused as soon as this returns.
  if (!non_blocking) check_cuda(cudaStreamSynchronize(stream), "copy_");
}

Tensor dense_like(const Tensor& t, Device device) {
  return make_tensor(t.sizes(), t.dtype(), device);
}

// Between devices: dense copies on either side where needed, bytes in between.
void copy_across(Tensor& self, const Tensor& src, bool non_blocking) {
  Tensor from = src;
  if (!from.is_contiguous()) {
    from = dense_like(src, src.device());
    opweave::copy_(from, src);
  }
  if (self.is_contiguous() && self.dtype() == from.dtype()) {
    copy_bytes(self, from, non_blocking);
    return;
  }
  Tensor landed = dense_like(from, self.device());
  copy_bytes(landed, from, /*non_blocking=*/false);
  opweave::copy_(self, landed);
}

}  // namespace

Tensor& copy_(Tensor& self, const Tensor& src, bool non_blocking) {
  const Tensor source =
      same_sizes(self.sizes(), src.sizes()) ? src : opweave::expand(src, self.sizes());
  if (self.numel() == 0) return self;
  if (self.device() == source.device()) {
    copy_on_device(self, source);
  } else {
    copy_across(self, source, non_blocking);
  }
  return self;
}

}  // namespace opweave::cuda
