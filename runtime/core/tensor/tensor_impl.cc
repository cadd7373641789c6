// TensorImpl: construction, contiguity, geometry changes.
#include "runtime/core/tensor/tensor_impl.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>

#include "runtime/core/base/error.h"
#include "runtime/core/tensor/dim_vector.h"

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

// Whatever a program hands over as sizes, strides and offset, the elements lie in the storage: each
// way to make a tensor, and to change where it lies, looks at that.
namespace {

// One past the last element of a geometry, in bytes from the begin of its storage; 0 where there is
// none. Nothing where one would lie before the begin, at a negative stride, or beyond counting.
[[gnu::hot]] std::optional<size_t> reach(IntList sizes, IntList strides, int64_t offset,
                                         size_t item) {
  int64_t last = offset, step = 0, bytes = 0;
  bool outside = offset < 0, empty = false;
  for (size_t d = 0; d < sizes.size(); ++d) {
    empty |= sizes[d] == 0;
    outside |= strides[d] < 0;  // also where no step is made: others would make it
  }
  if (empty) return outside ? std::nullopt : std::optional<size_t>(0);
  for (size_t d = 0; d < sizes.size(); ++d) {
    outside |= __builtin_mul_overflow(sizes[d] - 1, strides[d], &step);
    outside |= __builtin_add_overflow(last, step, &last);
  }
  outside |= __builtin_add_overflow(last, 1, &last);
  outside |= __builtin_mul_overflow(last, static_cast<int64_t>(item), &bytes);
  return outside ? std::nullopt : std::optional(static_cast<size_t>(bytes));
}

std::optional<size_t> reach(const TensorImpl& t) {
  return reach(t.sizes(), t.strides(), t.storage_offset(), element_size(t.dtype()));
}

// In the words that PyTorch has for as_strided; the operator is named as the error goes by.
[[gnu::cold, noreturn]] void fail_outside(IntList sizes, IntList strides, int64_t offset,
                                          size_t item, size_t room) {
  const auto bytes = reach(sizes, strides, offset, item);
  const bool negative =
      offset < 0 || std::ranges::any_of(strides, [](int64_t stride) { return stride < 0; });
  const std::string needs = negative && !bytes
                                ? ", of which strides and the offset may not be negative,"
                                : str(", and itemsize ", item, " requiring a storage size of ",
                                      bytes ? std::to_string(*bytes) : "more than 2^63");
  OW_THROW(ErrorKind::kSize, "sizes ", sizes, ", strides ", strides, ", storage offset ", offset,
           needs, " are out of bounds for storage of size ", room);
}

[[gnu::cold, gnu::noinline]] void check_inside(const TensorImpl& t) {
  const auto bytes = reach(t);
  const size_t room = t.storage()->nbytes();
  if (!bytes || *bytes > room)
    fail_outside(t.sizes(), t.strides(), t.storage_offset(), element_size(t.dtype()), room);
}

// What is asked of a geometry, in one pass: how many elements, whether in order, where the last is.
// It says so of ordinary tensors, whose numbers are small and which have elements; of others only
// that they are none of those.
struct Measured {
  bool ordinary = false, contiguous = true;
  int64_t numel = 1;
  uint64_t last = 0;
};

[[gnu::hot]] inline Measured measured(IntList sizes, IntList strides, int64_t offset) {
  Measured m;
  m.last = static_cast<uint64_t>(offset);
  uint64_t bits = m.last;
  bool overflow = false;
  for (size_t d = sizes.size(); d-- > 0;) {
    const int64_t size = sizes[d], stride = strides[d];
    m.contiguous &= (size == 1) | (stride == m.numel);
    bits |= static_cast<uint64_t>(size | stride);
    m.last += (static_cast<uint64_t>(size) - 1) * static_cast<uint64_t>(stride);
    overflow |= __builtin_mul_overflow(m.numel, size, &m.numel);
  }
  // Products of numbers below 2^26, sums of as many as a tensor can have sizes, are numbers.
  m.ordinary = bits >> 26 == 0 && !overflow && m.numel != 0;
  return m;
}

[[gnu::hot]] void check_lengths(IntList sizes, IntList strides) {
  OW_CHECK_SIZE(sizes.size() == strides.size(), "mismatch in length of strides and shape: got ",
                strides.size(), " strides ", strides, " for the ", sizes.size(), " sizes ", sizes);
}

}  // namespace

[[gnu::hot]] TensorImpl::TensorImpl(Storage storage, ScalarType dtype, Device device, IntList sizes,
                                    IntList strides, int64_t storage_offset)
    : storage_(std::move(storage)),
      storage_offset_(storage_offset),
      dtype_(dtype),
      device_(device) {
  check_lengths(sizes, strides);
  geometry_.set(sizes, strides);
  const Measured m = measured(sizes, strides, storage_offset);
  const bool inside = (m.last + 1) * element_size(dtype) <= storage_->nbytes();
  if (m.ordinary && inside) [[likely]] {
    numel_ = m.numel;
    contiguous_ = m.contiguous;
  } else {
    numel_ = checked_numel(sizes);
    check_inside(*this);
    refresh_contiguous();
  }
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
  if (static_cast<size_t>(n) * element_size(dtype) > storage_->nbytes()) [[unlikely]]
    check_inside(*this);
  init();
}

[[gnu::hot]] void TensorImpl::init() {
  key_set_ = own_keys();
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
  check_lengths(sizes, strides);
  const int64_t numel = checked_numel(sizes);
  const size_t item = element_size(dtype_), room = storage_->nbytes();
  const auto bytes = reach(sizes, strides, storage_offset, item);
  // What was in a storage before it was made smaller may still be viewed, though nobody can read
  // it.
  if (!bytes || (*bytes > room && *bytes > reach(*this))) [[unlikely]]
    fail_outside(sizes, strides, storage_offset, item, room);
  numel_ = numel;
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
  constexpr DispatchKeySet kOwn = DispatchKeySet::backends() | DispatchKey::kComplex;
  key_set_ = (key_set_ - kOwn) | own_keys();
}

}  // namespace opweave
