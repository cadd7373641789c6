// Tensor: making, aliasing, resizing, dimension checks.
#include "runtime/core/tensor/tensor.h"

#include <algorithm>
#include <atomic>

namespace opweave {
namespace {

constinit std::atomic<ScalarType> default_float{kFloat};

// The bytes between the first and one past the last element.
size_t storage_bytes(IntList sizes, IntList strides, size_t item) {
  OW_CHECK_SIZE(sizes.size() == strides.size(), "mismatch in length of strides and shape: got ",
                strides.size(), " strides ", strides, " for the ", sizes.size(), " sizes ", sizes);
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return 0;
  int64_t count = 1, step = 0, bytes = 0;
  bool overflow = false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    OW_CHECK_SIZE(sizes[i] < 2 || strides[i] >= 0, "strides must not be negative: got ", strides,
                  " for the sizes ", sizes);
    overflow |= __builtin_mul_overflow(sizes[i] - 1, strides[i], &step);
    overflow |= __builtin_add_overflow(count, step, &count);
  }
  overflow |= __builtin_mul_overflow(count, static_cast<int64_t>(item), &bytes);
  OW_CHECK_SIZE(!overflow, "Storage size calculation overflowed with sizes=", sizes,
                " and strides=", strides);
  return static_cast<size_t>(bytes);
}

// The device with its index, before there is a storage: asking that for what it has just been given
// would wait for the memory.
[[gnu::hot]] Device settled(Device device) {
  const bool is_host = devices_of(device.type).kind() == Devices::Kind::kHost;
  return is_host ? Device(device.type) : resolve_device(device);
}

[[gnu::hot]] size_t checked_nbytes(IntList sizes, ScalarType dtype) {
  const int64_t n = checked_numel(sizes);
  int64_t bytes = 0;
  OW_CHECK_SIZE(!__builtin_mul_overflow(n, static_cast<int64_t>(element_size(dtype)), &bytes),
                "Storage size calculation overflowed with sizes=", sizes, " and dtype ", dtype);
  return static_cast<size_t>(bytes);
}

}  // namespace

ScalarType default_dtype() { return default_float.load(std::memory_order_relaxed); }

void set_default_dtype(ScalarType dtype) {
  OW_CHECK_TYPE(is_floating(dtype) && contains(dtypes::kCommon, dtype),
                "only floating-point types are supported as the default type, got ", dtype);
  default_float.store(dtype, std::memory_order_relaxed);
}

[[gnu::hot]] int64_t wrap_dim(int64_t dim, int64_t ndim, bool scalar_as_1d) {
  const int64_t range = ndim == 0 && scalar_as_1d ? 1 : ndim;
  OW_CHECK_INDEX(range > 0, "Dimension specified as ", dim, " but tensor has no dimensions");
  OW_CHECK_INDEX(dim >= -range && dim < range,
                 "Dimension out of range (expected to be in range of [", -range, ", ", range - 1,
                 "], but got ", dim, ")");
  return dim < 0 ? dim + range : dim;
}

DimVector wrap_dims(std::string_view op, IntList dims, int64_t ndim) {
  DimVector wrapped;
  for (int64_t d : dims) {
    const int64_t w = wrap_dim(d, ndim);
    OW_CHECK(std::find(wrapped.begin(), wrapped.end(), w) == wrapped.end(), op, "(): dim ", w,
             " appears multiple times in the list of dims ", dims);
    wrapped.push_back(w);
  }
  return wrapped;
}

[[gnu::hot]] size_t Tensor::wrap(int64_t d) const {
  return static_cast<size_t>(wrap_dim(d, dim(), /*scalar_as_1d=*/false));
}

DimVector contiguous_strides(IntList sizes) {
  DimVector strides(sizes.size());
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    // Those of an empty tensor may be beyond counting.
    stride = static_cast<int64_t>(static_cast<uint64_t>(stride) *
                                  static_cast<uint64_t>(std::max<int64_t>(sizes[i], 1)));
  }
  return strides;
}

DimVector strides_for(IntList sizes, MemoryFormat format) {
  const bool channels_last = format == MemoryFormat::kChannelsLast;
  if (!channels_last && format != MemoryFormat::kChannelsLast3d) return contiguous_strides(sizes);
  const size_t ndim = channels_last ? 4 : 5;
  OW_CHECK(sizes.size() == ndim, "required rank ", ndim, " tensor to use ", format,
           " format, got sizes ", sizes);
  DimVector strides(ndim);
  int64_t stride = 1;
  auto place = [&](size_t d) {
    strides[d] = stride;
    stride *= std::max<int64_t>(sizes[d], 1);
  };
  place(1);
  for (size_t d = ndim - 1; d >= 2; --d) place(d);
  place(0);
  return strides;
}

namespace {

[[gnu::cold]] [[noreturn]] void fail_for_tensor(const Error& e, IntList sizes, ScalarType dtype) {
  if (e.kind() != ErrorKind::kOutOfMemory) throw;
  throw_error(e.kind(), str(e.message(), ", for a tensor of shape ", sizes, " and dtype ", dtype));
}

Storage storage_for(size_t nbytes, Device device, IntList sizes, ScalarType dtype) {
  try {
    return StorageImpl::allocate(nbytes, device);
  } catch (const Error& e) {
    fail_for_tensor(e, sizes, dtype);
  }
}

}  // namespace

[[gnu::hot]] Tensor make_tensor(IntList sizes, ScalarType dtype, Device device) {
  const size_t nbytes = checked_nbytes(sizes, dtype);
  const Device where = settled(device);
  return Tensor(
      make_intrusive<TensorImpl>(storage_for(nbytes, where, sizes, dtype), dtype, where, sizes));
}

[[gnu::hot]] Tensor make_tensor_strided(IntList sizes, IntList strides, ScalarType dtype,
                                        Device device) {
  checked_nbytes(sizes, dtype);
  const size_t nbytes = storage_bytes(sizes, strides, element_size(dtype));
  const Device where = settled(device);
  return Tensor(make_intrusive<TensorImpl>(storage_for(nbytes, where, sizes, dtype), dtype, where,
                                           sizes, strides));
}

namespace {

// Whether its storage has been made smaller than what lies in it.
[[gnu::cold]] bool lies_outside(const Tensor& t) {
  const size_t begin = static_cast<size_t>(t.storage_offset()) * t.element_size();
  return begin + storage_bytes(t.sizes(), t.strides(), t.element_size()) > t.storage()->nbytes();
}

// A view of such a tensor, by a change of one in its place: that may reach as far as it does.
[[gnu::cold]] Tensor alias_outside(const Tensor& self, IntList sizes, IntList strides,
                                   int64_t storage_offset) {
  Tensor alias = make_tensor({0}, self.dtype(), self.device());
  alias.impl()->set_data_from(*self.impl());
  alias.impl()->set_geometry(sizes, strides, storage_offset);
  alias.impl()->share_version(*self.impl());
  return alias;
}

}  // namespace

[[gnu::hot]] Tensor make_alias(const Tensor& self, IntList sizes, IntList strides,
                               int64_t storage_offset) {
  const TensorExtension* const extension = self.impl()->extension();
  OW_CHECK(extension == nullptr, extension->what(), " of shape ", self.sizes(),
           " has no memory of its own to make a view of");
  try {
    Tensor alias(make_intrusive<TensorImpl>(self.storage(), self.dtype(), self.device(), sizes,
                                            strides, storage_offset));
    alias.impl()->share_version(*self.impl());
    return alias;
  } catch (const Error&) {
    if (!lies_outside(self)) throw;
    return alias_outside(self, sizes, strides, storage_offset);
  }
}

[[gnu::hot]] Tensor wrapped_number_tensor(const Scalar& value) {
  const ScalarType dtype = value.type();
  Tensor t = make_tensor({}, dtype, host_device());
  if (value.is_complex()) {
    *static_cast<ComplexFloat*>(t.raw_data()) = value.to<ComplexFloat>();
  } else if (dtype == kDouble) {
    *static_cast<double*>(t.raw_data()) = value.to_double();
  } else if (dtype == kLong || dtype == kUInt64) {
    *static_cast<int64_t*>(t.raw_data()) = value.to_long();
  } else {
    *static_cast<bool*>(t.raw_data()) = value.to_bool();
  }
  t.impl()->set_wrapped_number(true);
  return t;
}

void resize_tensor(Tensor& self, IntList sizes) {
  if (same_sizes(self.sizes(), sizes)) return;
  const size_t nbytes = checked_nbytes(sizes, self.dtype());
  TensorImpl& impl = *self.impl();
  const size_t needed = nbytes + static_cast<size_t>(impl.storage_offset()) * self.element_size();
  if (needed > impl.storage()->nbytes()) impl.storage()->resize(needed);
  const DimVector wanted(sizes);  // `sizes` may be a view of the geometry that changes
  impl.set_geometry(wanted, contiguous_strides(wanted), impl.storage_offset());
}

}  // namespace opweave
