// Shape and dtype rules of reductions.
#include "runtime/rules/reduction.h"

#include "rules/sizes.h"

namespace opweave {

DimMask every_dim(int64_t ndim) {
  DimMask mask;
  for (int64_t d = 0; d < ndim; ++d) mask.set(d);
  return mask;
}

DimMask reduced_dims(std::optional<IntList> dims, int64_t ndim) {
  OW_CHECK(ndim <= static_cast<int64_t>(kMaxReducedDims), "only tensors with up to ",
           kMaxReducedDims, " dims are supported");
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
    if (mask[d]) n *= sizes[d];
  }
  return n;
}

void check_reduces_something(std::string_view op, const Tensor& self, std::optional<int64_t> dim) {
  if (dim) {
    const int64_t d = *dim;
    check_reduces_something(op, self, IntList(&d, 1));
  } else {
    check_reduces_something(op, self, IntList());
  }
}

void check_reduces_something(std::string_view op, const Tensor& self, IntList dims) {
  if (self.numel() != 0) return;
  OW_CHECK(!dims.empty(), op,
           "(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
           "reduction dim with the 'dim' argument.");
  for (int64_t dim : dims) {
    const int64_t d = wrap_dim(dim, self.dim());
    OW_CHECK_INDEX(self.dim() == 0 || self.sizes()[d] != 0, op, "(): Expected reduction dim ", d,
                   " to have non-zero size.");
  }
}

ScalarType accumulated_dtype(const Tensor& self, std::optional<ScalarType> dtype) {
  if (dtype) return *dtype;
  return is_integral(self.dtype(), /*include_bool=*/true) ? kLong : self.dtype();
}

}  // namespace opweave
