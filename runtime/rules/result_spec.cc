// Filling in what results look like.
#include "runtime/rules/result_spec.h"

namespace opweave {
namespace {

// Number by number: a whole vector whose elements have just been written is slow to move.
void copy(IntList from, DimVector& to) {
  to.clear();
  for (int64_t value : from) to.push_back(value);
}

}  // namespace

void ResultSpec::set(IntList sizes, ScalarType dtype, Device device) {
  copy(sizes, sizes_);
  dtype_ = dtype;
  device_ = device;
}

void ResultSpec::set_strides(IntList strides) {
  if (strides.empty()) return;
  copy(strides, strides_);
  contiguous_ = false;
}

}  // namespace opweave
