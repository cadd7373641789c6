// Checks of gather and scatter.
#include "runtime/rules/gather.h"

namespace opweave {
namespace {

int64_t dims_of(const Tensor& t) { return std::max<int64_t>(t.dim(), 1); }
int64_t size_of(const Tensor& t, int64_t d) { return t.dim() == 0 ? 1 : t.sizes()[d]; }

void check_index_dtype(std::string_view op, const Tensor& index) {
  OW_CHECK(index.dtype() == kLong || index.dtype() == kInt, op,
           "(): Expected dtype int32/int64 for index, but got ", index.dtype());
}

bool fits_but(const Tensor& index, const Tensor& whole, int64_t dim) {
  for (int64_t d = 0; d < dims_of(index); ++d) {
    if (d != dim && size_of(index, d) > size_of(whole, d)) return false;
  }
  return true;
}

}  // namespace

int64_t check_gather(const Tensor& self, int64_t dim, const Tensor& index) {
  const int64_t d = wrap_dim(dim, self.dim());
  check_index_dtype("gather", index);
  if (index.numel() == 0) return d;
  OW_CHECK(dims_of(self) == dims_of(index),
           "gather(): Index tensor must have the same number of dimensions as input tensor, got ",
           index.dim(), " and ", self.dim());
  OW_CHECK(fits_but(index, self, d), "gather(): Expected index ", index.sizes(),
           " to be no larger than self ", self.sizes(), " apart from dimension ", d);
  return d;
}

int64_t check_scatter(std::string_view op, const Tensor& self, int64_t dim, const Tensor& index,
                      const Tensor* src) {
  const int64_t d = wrap_dim(dim, self.dim());
  check_index_dtype(op, index);
  OW_CHECK(src == nullptr || src->dtype() == self.dtype(), op,
           "(): Expected self.dtype to be equal to src.dtype, got ", self.dtype(), " and ",
           src == nullptr ? self.dtype() : src->dtype());
  if (index.numel() == 0) return d;
  OW_CHECK(dims_of(self) == dims_of(index) && (src == nullptr || dims_of(*src) == dims_of(index)),
           op, "(): Index tensor must have the same number of dimensions as self tensor",
           src == nullptr ? "" : " and as src");
  OW_CHECK(fits_but(index, self, d), op, "(): Expected index ", index.sizes(),
           " to be no larger than self ", self.sizes(), " apart from dimension ", d);
  OW_CHECK(src == nullptr || fits_but(index, *src, -1), op, "(): Expected index ", index.sizes(),
           " to be no larger than src ", src == nullptr ? IntList() : src->sizes());
  return d;
}

}  // namespace opweave
