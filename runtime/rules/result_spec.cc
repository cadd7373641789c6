// Filling in what results look like.
#include "runtime/rules/result_spec.h"

namespace opweave {

[[gnu::hot]] void ResultSpec::set(IntList sizes, ScalarType dtype, Device device) {
  sizes_.assign(sizes);
  dtype_ = dtype;
  device_ = device;
}

void ResultSpec::set_strides(IntList strides) {
  if (strides.empty()) return;
  strides_.assign(strides);
  contiguous_ = false;
}

}  // namespace opweave
