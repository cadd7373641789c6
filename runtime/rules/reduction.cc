// Shape and dtype rules of reductions.
#include "runtime/rules/reduction.h"

#include "rules/sizes.h"
#include "runtime/rules/checked_arithmetic.h"

namespace opweave {

void check_reducible(int64_t ndim) {
  OW_CHECK(ndim <= static_cast<int64_t>(kMaxReducedDims), "only tensors with up to ",
           kMaxReducedDims, " dims are supported");
}

DimMask every_dim(int64_t ndim) {
  check_reducible(ndim);
  DimMask mask;
  for (int64_t d = 0; d < ndim; ++d) mask.set(d);
  return mask;
}

DimMask reduced_dims(const std::optional<IntList>& dims, int64_t ndim) {
  check_reducible(ndim);
  if (!dims || dims->empty()) return every_dim(ndim);
  DimMask mask;
  for (int64_t d : *dims) {
    const int64_t w = wrap_dim(d, ndim);
    OW_CHECK(!mask[w], "dim ", w, " appears multiple times in the list of dims");
    mask.set(w);
  }
  return mask;
}

DimVector reduced_sizes(IntList sizes, DimMask mask, bool keepdim) {
  return rule::generic::reduced<DimVector>(
      sizes, [&](size_t d) { return mask[d]; }, keepdim);
}

int64_t reduced_numel(IntList sizes, DimMask mask) {
  int64_t n = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (!mask[d]) continue;
    n = checked_mul(n, sizes[d]);
  }
  return n;
}

}  // namespace opweave
