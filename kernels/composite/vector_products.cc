// Products of vectors and matrices that are made of products of elements.
#include <algorithm>

#include "opweave/kernels/composite/cross.h"
#include "opweave/kernels/composite/kron.h"
#include "opweave/ops/linalg_cross.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/reshape.h"

namespace opweave::composite {
namespace {

// A dimension of size 1 behind each of the dimensions, or before it; the others are as many as
// `rank` says.
DimVector spread(const Tensor& self, int64_t rank, bool behind) {
  DimVector sizes;
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t own = d - (rank - self.dim());
    const int64_t size = own < 0 ? 1 : self.sizes()[own];
    sizes.push_back(behind ? size : 1);
    sizes.push_back(behind ? 1 : size);
  }
  return sizes;
}

}  // namespace

Tensor cross(const Tensor& self, const Tensor& other, std::optional<int64_t> dim) {
  if (dim) return opweave::linalg_cross(self, other, *dim);
  const IntList sizes = self.sizes();
  const auto found = std::ranges::find(sizes, int64_t{3});
  OW_CHECK(found != sizes.end(), "cross(): no dimension of size 3 in input");
  return opweave::linalg_cross(self, other, found - sizes.begin());
}

Tensor kron(const Tensor& self, const Tensor& other) {
  const int64_t rank = std::max(self.dim(), other.dim());
  const Tensor product = opweave::mul(opweave::reshape(self, spread(self, rank, true)),
                                      opweave::reshape(other, spread(other, rank, false)));
  DimVector sizes;
  for (int64_t d = 0; d < rank; ++d)
    sizes.push_back(product.sizes()[2 * d] * product.sizes()[2 * d + 1]);
  return opweave::reshape(product, sizes);
}

}  // namespace opweave::composite
