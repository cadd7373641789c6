// TensorImpl: construction, contiguity, geometry changes.
#include "runtime/core/tensor_impl.h"

#include <algorithm>
#include <numeric>

#include "runtime/core/dim_vector.h"
#include "runtime/core/error.h"

namespace opweave {

PyObjectHooks pyobject_hooks;

// Also of a tensor without elements: whoever multiplies some of its sizes, for strides or for
// dimensions that it takes as one, gets a number.
[[gnu::cold]] static void check_product(IntList sizes) {
  int64_t n = 1;
  for (int64_t size : sizes) {
    OW_CHECK_SIZE(size == 0 || !__builtin_mul_overflow(n, size, &n), "numel: the product of sizes ",
                  sizes, " overflows int64");
  }
}

[[gnu::hot]] int64_t checked_numel(IntList sizes) {
  int64_t n = 1;
  bool overflow = false;
  for (int64_t size : sizes) {
    OW_CHECK(size >= 0, "Trying to create tensor with negative dimension ", size, ": ", sizes);
    overflow |= __builtin_mul_overflow(n, size, &n);
  }
  if (overflow || n == 0) [[unlikely]] {
    check_product(sizes);
    return 0;
  }
  return n;
}

[[gnu::hot]] TensorImpl::TensorImpl(Storage storage, ScalarType dtype, Device device, IntList sizes,
                                    IntList strides, int64_t storage_offset)
    : storage_(std::move(storage)),
      storage_offset_(storage_offset),
      dtype_(dtype),
      device_(device) {
  geometry_.set(sizes, strides);
  numel_ = checked_numel(sizes);
  refresh_contiguous();
  init();
}

[[gnu::hot]] TensorImpl::TensorImpl(Storage storage, ScalarType dtype, Device device, IntList sizes)
    : storage_(std::move(storage)), dtype_(dtype), device_(device) {
  geometry_.resize(sizes.size());
  int64_t* out_sizes = geometry_.sizes_data();
  int64_t* out_strides = geometry_.strides_data();
  int64_t n = 1, stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    out_sizes[i] = sizes[i];
    out_strides[i] = stride;
    stride *= sizes[i] > 1 ? sizes[i] : 1;
    n *= sizes[i];
  }
  numel_ = n;
  init();
}

[[gnu::hot]] void TensorImpl::init() {
  key_set_ = backend_key(device_.type);
  inference_ = inference_mode_enabled();
  if (!inference_) key_set_ = key_set_ | DispatchKey::kADInplaceOrView;
}

[[gnu::hot]] void TensorImpl::refresh_contiguous() {
  int64_t expected = 1;
  contiguous_ = true;
  if (numel_ == 0) return;
  for (size_t i = geometry_.ndim(); i-- > 0;) {
    const int64_t size = geometry_.sizes()[i];
    if (size == 1) continue;
    if (geometry_.strides()[i] != expected) {
      contiguous_ = false;
      return;
    }
    expected *= size;
  }
}

bool TensorImpl::is_contiguous(MemoryFormat format) const {
  if (format == MemoryFormat::kContiguous || format == MemoryFormat::kPreserve) return contiguous_;
  const int64_t spatial = format == MemoryFormat::kChannelsLast ? 2 : 3;
  if (dim() != spatial + 2) return false;
  int64_t expected = 1;
  auto matches = [&](int64_t d) {
    const int64_t size = sizes()[d];
    const bool ok = size == 1 || strides()[d] == expected;
    expected *= size;
    return ok;
  };
  bool ok = matches(1);
  for (int64_t d = dim() - 1; d >= 2 && ok; --d) ok = matches(d);
  return ok && matches(0);
}

bool TensorImpl::non_overlapping_and_dense() const {
  DimVector order(static_cast<size_t>(dim()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return sizes()[a] < 2 ? false : sizes()[b] < 2 ? true : strides()[a] < strides()[b];
  });
  int64_t expected = 1;
  for (int64_t d : order) {
    if (sizes()[d] < 2) return true;  // only dimensions of size 0 or 1 remain
    if (strides()[d] != expected) return false;
    expected *= sizes()[d];
  }
  return true;
}

[[gnu::hot]] void TensorImpl::set_geometry(IntList sizes, IntList strides, int64_t storage_offset) {
  OW_CHECK(!extension_, "vmap: the shape of a batched tensor cannot be changed in place, from ",
           this->sizes(), " to ", sizes);
  numel_ = checked_numel(sizes);
  geometry_.set(sizes, strides);
  storage_offset_ = storage_offset;
  refresh_contiguous();
}

void TensorImpl::set_data_from(const TensorImpl& other) {
  OW_CHECK(!extension_ && !other.extension_,
           "vmap: the data of a batched tensor cannot be exchanged");
  storage_ = other.storage_;
  geometry_ = other.geometry_;
  numel_ = other.numel_;
  storage_offset_ = other.storage_offset_;
  dtype_ = other.dtype_;
  device_ = other.device_;
  layout_ = other.layout_;
  contiguous_ = other.contiguous_;
  key_set_ = (key_set_ - DispatchKeySet::backends()) | backend_key(device_.type);
}

}  // namespace opweave
