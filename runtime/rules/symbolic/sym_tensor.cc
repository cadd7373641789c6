// Geometry of tensors without elements.
#include "runtime/rules/symbolic/sym_tensor.h"

namespace opweave::symbolic {

// An empty dimension counts as one of size 1; names stand for sizes that are not 0.
SymDims contiguous_strides(SymIntList sizes) {
  SymDims strides(sizes);
  SymInt step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    if (!(sizes[i].size() == rule::Size(0))) step = step * sizes[i];
  }
  return strides;
}

SymTensor::SymTensor(SymDims sizes, ScalarType dtype, Device device, std::optional<SymDims> strides,
                     SymInt offset)
    : sizes_(std::move(sizes)),
      strides_(strides ? std::move(*strides) : contiguous_strides(sizes_)),
      offset_(std::move(offset)),
      dtype_(dtype),
      device_(device) {}

bool SymTensor::is_contiguous() const {
  const SymDims dense = contiguous_strides(sizes_);
  for (size_t i = 0; i < dense.size(); ++i) {
    if (dense[i] != strides_[i] && sizes_[i] != SymInt(1)) return false;
  }
  return true;
}

size_t SymTensor::wrap(const SymInt& d) const {
  return static_cast<size_t>(wrap_dim(d.guard_int(), dim(), /*scalar_as_1d=*/false));
}

}  // namespace opweave::symbolic
