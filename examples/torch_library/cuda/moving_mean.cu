// moving_mean on NVIDIA GPUs: a thread for each mean.
#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/pointwise/make_loops.cuh"  // load_element, store_element
#include "opweave/kernels/cuda/moving_mean.h"
#include "opweave/ops/contiguous.h"

namespace opweave::cuda {
namespace {

constexpr int kThreads = 256;

template <class T>
__global__ void means(const char* in, char* out, int64_t count, int64_t windows, int64_t length,
                      int64_t size, int64_t inner) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i >= count) return;
  const int64_t at = i % inner, window = i / inner % windows, outer = i / inner / windows;
  const int64_t first = (outer * length + window) * inner + at;
  double sum = 0;
  for (int64_t k = 0; k < size; ++k) {
    sum += load_element<double, T>(in + (first + k * inner) * sizeof(T));
  }
  store_element<double, T>(out + i * sizeof(T), sum / static_cast<double>(size));
}

}  // namespace

void moving_mean(const Tensor& self, int64_t size, int64_t dim, Tensor& out) {
  const Tensor in = opweave::contiguous(self);
  if (dim < 0) dim += in.dim();
  int64_t inner = 1;  // how many elements lie between neighbours
  for (int64_t d = dim + 1; d < in.dim(); ++d) inner *= in.size(d);
  const int64_t count = out.numel();
  if (count == 0) return;
  const auto blocks = static_cast<unsigned>((count + kThreads - 1) / kThreads);
  cpu::visit_floating("moving_mean", in.dtype(), [&]<class T>(TypeTag<T>) {
    means<T><<<blocks, kThreads, 0, current_handle(in.device())>>>(
        static_cast<const char*>(in.raw_data()), static_cast<char*>(out.raw_data()), count,
        out.size(dim), in.size(dim), size, inner);
  });
  check_cuda(cudaGetLastError(), "moving_mean");
}

}  // namespace opweave::cuda
