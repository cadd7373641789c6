// Lines: all runs of a tensor along one dimension, together with those of a result.
#pragma once

#include "kernels/cpu/common/odometer.h"
#include "runtime/core/parallel.h"
#include "runtime/core/tensor.h"

namespace opweave::cpu {

class Lines {
 public:
  // `out_strides`: of a result of the sizes of `in` except along `dim`. A zero-dim tensor is one
  // line of one element.
  Lines(const Tensor& in, IntList out_strides, int64_t dim) {
    for (int64_t d = in.dim() - 1; d >= 0; --d) {
      if (d == dim) continue;
      sizes_.push_back(in.sizes()[d]);
      in_strides_.push_back(in.strides()[d]);
      out_strides_.push_back(out_strides[d]);
      count_ *= in.sizes()[d];
    }
    if (in.dim() == 0) return;
    n_ = in.sizes()[dim];
    in_stride_ = in.strides()[dim];
    out_stride_ = out_strides[dim];
  }

  int64_t count() const { return count_; }
  int64_t n() const { return n_; }
  int64_t in_stride() const { return in_stride_; }
  int64_t out_stride() const { return out_stride_; }

  // Calls make() once a thread, and what it returned with the offsets of each line.
  template <class Make>
  void run(Make&& make) const {
    const int64_t grain = kGrainSize / 8 / std::max<int64_t>(n_, 1) + 1;
    parallel_for(0, count_, grain, [&](int64_t from, int64_t to) {
      auto body = make();
      Odometer in(sizes_, in_strides_, 0), out(sizes_, out_strides_, 0);
      in.seek(from);
      out.seek(from);
      for (int64_t i = from; i < to; ++i, in.next(), out.next()) body(in.offset(), out.offset());
    });
  }

 private:
  DimVector sizes_, in_strides_, out_strides_;
  int64_t count_ = 1, n_ = 1, in_stride_ = 1, out_stride_ = 1;
};

}  // namespace opweave::cpu
