// Differences of neighbours, and what is summed of neighbours.
#include <algorithm>

#include "opweave/kernels/composite/diff.h"
#include "opweave/kernels/composite/twice_the_areas.h"
#include "opweave/ops/add.h"
#include "opweave/ops/cat.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/narrow.h"
#include "opweave/ops/ne.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/slice.h"
#include "opweave/ops/sub.h"

namespace opweave::composite {
namespace {

// The places of samples, with as many dimensions as the samples have: a vector lies along `dim`.
Tensor places(const Tensor& y, const Tensor& x, int64_t dim) {
  if (x.dim() >= y.dim() && x.dim() != 1) return x;
  DimVector sizes(static_cast<size_t>(y.dim()), 1);
  if (x.dim() == 1) {
    sizes[dim] = x.numel();
  } else {
    std::ranges::copy(x.sizes(), sizes.end() - x.dim());
  }
  return opweave::reshape(x, sizes);
}

}  // namespace

Tensor twice_the_areas(const Tensor& y, const Tensor& x, int64_t dim) {
  const int64_t d = wrap_dim(dim, y.dim());
  const Tensor at = places(y, x, d);
  const Tensor steps =
      opweave::sub(opweave::slice(at, d, 1, {}, 1), opweave::slice(at, d, 0, -1, 1));
  const Tensor both = opweave::add(opweave::slice(y, d, 1, {}, 1), opweave::slice(y, d, 0, -1, 1));
  return opweave::mul(both, steps);
}

Tensor diff(const Tensor& self, int64_t n, int64_t dim, const Tensor& prepend,
            const Tensor& append) {
  if (n == 0) return opweave::clone(self);
  const int64_t d = wrap_dim(dim, self.dim());
  std::vector<Tensor> parts;
  for (const Tensor& part : {prepend, self, append}) {
    if (part.defined()) parts.push_back(part);
  }
  Tensor value = parts.size() == 1 ? self : opweave::cat(parts, d);
  for (int64_t left = std::min(n, value.size(d)); left > 0; --left) {
    const int64_t length = value.size(d) - 1;
    const Tensor behind = opweave::narrow(value, d, 1, length);
    const Tensor before = opweave::narrow(value, d, 0, length);
    value = value.dtype() == kBool ? opweave::ne(behind, before) : opweave::sub(behind, before);
  }
  return parts.size() == 1 && value.is_same(self) ? opweave::clone(self) : value;
}

}  // namespace opweave::composite
