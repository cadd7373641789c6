// cumsum and cumprod: running sums and products along a dimension.
#include <algorithm>

#include "kernels/cpu/copying/copy.h"
#include "kernels/cpu/reduction/scan_kernel.h"
#include "kernels/plans/dims.h"
#include "kernels/plans/odometer.h"
#include "opweave/kernels/cpu/cumprod.h"
#include "opweave/kernels/cpu/cumsum.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

// The dimensions around the scanned one, with the strides of both tensors.
struct ScanLoop {
  DimVector sizes, in_strides, out_strides;  // of the other dimensions, innermost first
  int64_t n, in_stride, out_stride;          // of the scanned dimension
  // Where the innermost other dimension lies side by side, whole rows are added to one another.
  int64_t columns = 1;

  ScanLoop(const Tensor& in, const Tensor& out, int64_t dim)
      : n(in.sizes()[dim]), in_stride(in.strides()[dim]), out_stride(out.strides()[dim]) {
    for (int64_t d = in.dim() - 1; d >= 0; --d) {
      if (d == dim || in.sizes()[d] == 1) continue;
      append(in.sizes()[d], in.strides()[d], out.strides()[d]);
    }
    if (!sizes.empty() && in_strides[0] == 1 && out_strides[0] == 1) columns = sizes[0];
  }

 private:
  void append(int64_t size, int64_t in, int64_t out) {
    const bool joins = !sizes.empty() && in == stride_product(in_strides.back(), sizes.back()) &&
                       out == stride_product(out_strides.back(), sizes.back());
    if (joins) {
      sizes.back() *= size;
      return;
    }
    sizes.push_back(size);
    in_strides.push_back(in);
    out_strides.push_back(out);
  }
};

void run_scan(const Tensor& in, Tensor& out, int64_t dim, const ScanKernel& kernel) {
  const ScanLoop loop(in, out, dim);
  const int64_t item = static_cast<int64_t>(in.element_size());
  const size_t from = loop.columns > 1 ? 1 : 0;
  const int64_t tile = std::min<int64_t>(loop.columns, kScanTile);
  const int64_t tiles = (loop.columns + tile - 1) / tile;
  const int64_t units = in.numel() / (loop.n * loop.columns) * tiles;
  const int64_t grain = std::max<int64_t>(kGrainSize / std::max<int64_t>(loop.n * tile, 1), 1);
  parallel_for(0, units, grain, [&](int64_t begin, int64_t end) {
    plans::Odometer in_at(loop.sizes, loop.in_strides, from),
        out_at(loop.sizes, loop.out_strides, from);
    for (int64_t u = begin; u < end; ++u) {
      if (u == begin || u % tiles == 0) {
        in_at.seek(u / tiles);
        out_at.seek(u / tiles);
      }
      const int64_t column = u % tiles * tile;
      const char* source = static_cast<char*>(in.raw_data()) + (in_at.offset() + column) * item;
      char* target = static_cast<char*>(out.raw_data()) + (out_at.offset() + column) * item;
      if (loop.columns > 1) {
        kernel.columns(source, target, loop.n, loop.in_stride, loop.out_stride,
                       std::min(tile, loop.columns - column));
      } else {
        kernel.line(source, target, loop.n, loop.in_stride, loop.out_stride);
      }
    }
  });
}

void scan(const Tensor& self, int64_t dim, Scan which, Tensor& out) {
  if (self.numel() == 0) return;
  Tensor converted;
  if (self.dtype() != out.dtype()) converted = cpu::converted(self, out.dtype());
  const Tensor& in = converted.defined() ? converted : self;
  const ScanKernel kernel = scan_kernel(in.dtype(), which);
  if (in.dim() > 0) return run_scan(in, out, plans::from_front(dim, in.dim()), kernel);
  const int64_t one = 1;
  const auto line = [&](const Tensor& t) {
    return make_alias(t, IntList(&one, 1), IntList(&one, 1), t.storage_offset());
  };
  Tensor target = line(out);
  run_scan(line(in), target, 0, kernel);
}

}  // namespace

void cumsum(const Tensor& self, int64_t dim, std::optional<ScalarType> /*dtype*/, Tensor& out) {
  scan(self, dim, Scan::kSum, out);
}
void cumprod(const Tensor& self, int64_t dim, std::optional<ScalarType> /*dtype*/, Tensor& out) {
  scan(self, dim, Scan::kProduct, out);
}

}  // namespace opweave::cpu
