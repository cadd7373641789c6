// SymTensor: what rules may ask of a tensor: sizes, strides, dtype and device, and no elements.
#pragma once

#include <optional>

#include "runtime/core/tensor/tensor.h"
#include "runtime/rules/symbolic/sym_int.h"

namespace opweave::symbolic {

class SymTensor {
 public:
  SymTensor() = default;  // undefined
  // Contiguous, unless strides say where its elements lie.
  SymTensor(SymDims sizes, ScalarType dtype, Device device = Device(),
            std::optional<SymDims> strides = {}, SymInt offset = 0);

  bool defined() const { return dtype_ != ScalarType::kUndefined; }
  SymIntList sizes() const { return sizes_; }
  SymIntList strides() const { return strides_; }
  // Accept negative dimensions; IndexError outside [-dim, dim).
  SymInt size(const SymInt& d) const { return sizes_[wrap(d)]; }
  SymInt stride(const SymInt& d) const { return strides_[wrap(d)]; }
  int64_t dim() const { return static_cast<int64_t>(sizes_.size()); }
  SymInt numel() const { return opweave::rule::generic::product<SymInt>(sizes_); }
  SymInt storage_offset() const { return offset_; }
  ScalarType scalar_type() const { return dtype_; }
  ScalarType dtype() const { return dtype_; }
  Device device() const { return device_; }
  bool is_contiguous() const;
  bool is_floating_point() const { return is_floating(dtype_); }

 private:
  size_t wrap(const SymInt& d) const;

  SymDims sizes_, strides_;
  SymInt offset_;
  ScalarType dtype_ = ScalarType::kUndefined;
  Device device_;
};

using SymTensorList = ListRef<SymTensor>;

// What one result looks like; see ResultSpec.
struct SymResult {
  SymDims sizes;
  SymDims strides;                            // none where they are contiguous, but for views
  SymInt offset;                              // of a view
  ScalarType dtype = ScalarType::kUndefined;  // of pointwise operators not known here
  Device device;
  bool defined = false;  // whether there is such a result

  void set(SymIntList new_sizes, ScalarType new_dtype, Device new_device) {
    sizes = new_sizes;
    dtype = new_dtype;
    device = new_device;
    defined = true;
  }
  void set_strides(SymIntList dense_strides) { strides = dense_strides; }
  void set_view(const SymTensor& of, SymIntList new_sizes, SymIntList new_strides,
                const SymInt& new_offset) {
    set(new_sizes, of.dtype(), of.device());
    strides = new_strides;
    offset = new_offset;
  }
};

SymDims contiguous_strides(SymIntList sizes);

}  // namespace opweave::symbolic
