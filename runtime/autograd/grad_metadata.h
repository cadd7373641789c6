// GradMetadata: what the gradient of one output of a recorded operator has to look like.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "runtime/core/tensor/tensor.h"

namespace opweave {

class GradMetadata {
 public:
  GradMetadata() = default;  // of an undefined or non-differentiable output
  explicit GradMetadata(const Tensor& t) : dtype_(t.dtype()), device_(t.device()), defined_(true) {
    set_sizes(t.sizes());
  }
  GradMetadata(GradMetadata&& other) noexcept { swap(other); }
  GradMetadata& operator=(GradMetadata other) noexcept {
    swap(other);
    return *this;
  }
  GradMetadata(const GradMetadata& other)
      : dtype_(other.dtype_), device_(other.device_), defined_(other.defined_) {
    set_sizes(other.sizes());
  }
  ~GradMetadata() {
    if (ndim_ > kInline) delete[] heap_;
  }

  bool defined() const { return defined_; }
  ScalarType dtype() const { return dtype_; }
  Device device() const { return device_; }
  IntList sizes() const { return {ndim_ > kInline ? heap_ : inline_, ndim_}; }

  // Nothing has to be done to such a gradient.
  bool fits(const Tensor& gradient) const {
    const TensorImpl& impl = *gradient.impl();
    return impl.dtype() == dtype_ && impl.device() == device_ && same_sizes(impl.sizes(), sizes());
  }

 private:
  static constexpr uint32_t kInline = 4;

  void set_sizes(IntList sizes) {
    ndim_ = static_cast<uint32_t>(sizes.size());
    if (ndim_ > kInline) heap_ = new int64_t[ndim_];
    std::copy(sizes.begin(), sizes.end(), ndim_ > kInline ? heap_ : inline_);
  }
  void swap(GradMetadata& other) noexcept {
    std::swap(dtype_, other.dtype_);
    std::swap(device_, other.device_);
    std::swap(defined_, other.defined_);
    std::swap(ndim_, other.ndim_);
    std::swap_ranges(inline_, inline_ + kInline, other.inline_);  // heap_ lies among them
  }

  ScalarType dtype_ = ScalarType::kUndefined;
  Device device_;
  bool defined_ = false;
  uint32_t ndim_ = 0;
  union {
    int64_t inline_[kInline] = {};
    int64_t* heap_;
  };
};

}  // namespace opweave
