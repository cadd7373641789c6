// Odometer: counts through the outer dimensions of a strided loop and keeps the offset.
#pragma once

#include "runtime/core/tensor/dim_vector.h"

namespace opweave::plans {

class Odometer {
 public:
  // Dimensions innermost first; those before `from` belong to the inner loop.
  Odometer(IntList sizes, IntList strides, size_t from)
      : sizes_(sizes), strides_(strides), from_(from), index_(sizes.size()) {}

  // Moves to the position `linear` in the order of counting.
  void seek(int64_t linear) {
    offset_ = 0;
    for (size_t d = from_; d < sizes_.size(); ++d) {
      index_[d] = linear % sizes_[d];
      linear /= sizes_[d];
      offset_ += index_[d] * strides_[d];
    }
  }
  void next() {
    for (size_t d = from_; d < sizes_.size(); ++d) {
      offset_ += strides_[d];
      if (++index_[d] < sizes_[d]) return;
      offset_ -= sizes_[d] * strides_[d];
      index_[d] = 0;
    }
  }
  int64_t offset() const { return offset_; }

 private:
  IntList sizes_, strides_;
  size_t from_;
  DimVector index_;
  int64_t offset_ = 0;
};

}  // namespace opweave::plans
