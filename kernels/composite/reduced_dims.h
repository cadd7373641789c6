// ReducedDims: brings the result of a reduction back to the dimensions of its input.
#pragma once

#include "opweave/ops/expand.h"
#include "opweave/ops/view.h"
#include "runtime/rules/reduction.h"

namespace opweave::composite {

class ReducedDims {
 public:
  // `sizes` of the input; none or no dims stand for all.
  ReducedDims(IntList sizes, std::optional<IntList> dims, bool keepdim)
      : sizes_(sizes),
        mask_(reduced_dims(dims, static_cast<int64_t>(sizes.size()))),
        kept_(reduced_sizes(sizes, mask_, /*keepdim=*/true)),
        keepdim_(keepdim) {
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (mask_[d]) list_.push_back(static_cast<int64_t>(d));
    }
  }

  IntList list() const { return list_; }
  int64_t numel() const { return reduced_numel(sizes_, mask_); }
  // With reduced dimensions of size 1.
  Tensor restore(const Tensor& reduced) const {
    return keepdim_ || reduced.dim() == static_cast<int64_t>(kept_.size())
               ? reduced
               : opweave::view(reduced, kept_);
  }
  Tensor expand(const Tensor& reduced) const { return opweave::expand(restore(reduced), sizes_); }

 private:
  DimVector sizes_;
  DimMask mask_;
  DimVector kept_, list_;
  bool keepdim_;
};

// Drops the dimensions of `mask`, all of size 1.
inline Tensor without_reduced_dims(const Tensor& kept, DimMask mask) {
  return opweave::view(kept, reduced_sizes(kept.sizes(), mask, /*keepdim=*/false));
}

}  // namespace opweave::composite
