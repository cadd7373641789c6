// Indexing of tensors without data.
#include "opweave/kernels/meta/_index.h"
#include "opweave/kernels/meta/_index_put_.h"
#include "opweave/kernels/meta/gather.h"
#include "opweave/kernels/meta/index_add_.h"
#include "opweave/kernels/meta/index_copy_.h"
#include "opweave/kernels/meta/index_select.h"
#include "opweave/kernels/meta/masked_scatter_.h"
#include "opweave/kernels/meta/scatter_.h"
#include "opweave/kernels/meta/scatter_add_.h"
#include "runtime/rules/gather.h"
#include "runtime/rules/index.h"

namespace opweave::meta {

Tensor _index(const Tensor& self, TensorList indices) {
  return make_tensor(index_shape(self, indices).sizes, self.dtype(), self.device());
}

Tensor& _index_put_(Tensor& self, TensorList, const Tensor&, bool) { return self; }

Tensor index_select(const Tensor& self, int64_t dim, const Tensor& index) {
  return make_tensor(index_select_sizes(self, dim, index), self.dtype(), self.device());
}

Tensor& index_add_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                   const Scalar&) {
  check_index_source("index_add_", self, dim, index, source);
  return self;
}

Tensor& index_copy_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  check_index_source("index_copy_", self, dim, index, source);
  return self;
}

Tensor gather(const Tensor& self, int64_t dim, const Tensor& index, bool /*sparse_grad*/) {
  check_gather(self, dim, index);
  return make_tensor(index.sizes(), self.dtype(), self.device());
}

Tensor& scatter__src(Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  check_scatter("scatter_", self, dim, index, &src);
  return self;
}

Tensor& scatter__value(Tensor& self, int64_t dim, const Tensor& index, const Scalar&) {
  check_scatter("scatter_", self, dim, index, nullptr);
  return self;
}

Tensor& scatter__reduce(Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                        std::string_view) {
  check_scatter("scatter_", self, dim, index, &src);
  return self;
}

Tensor& scatter_add_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  check_scatter("scatter_add_", self, dim, index, &src);
  return self;
}

Tensor& masked_scatter_(Tensor& self, const Tensor&, const Tensor&) { return self; }

}  // namespace opweave::meta
