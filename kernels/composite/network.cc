// Network operators in terms of their native kernels.
#include <algorithm>
#include <array>

#include "kernels/composite/every_example.h"
#include "opweave/kernels/composite/adaptive_avg_pool1d.h"
#include "opweave/kernels/composite/adaptive_max_pool1d.h"
#include "opweave/kernels/composite/avg_pool1d.h"
#include "opweave/kernels/composite/cosine_similarity.h"
#include "opweave/kernels/composite/embedding_grad_output_gradient.h"
#include "opweave/kernels/composite/glu.h"
#include "opweave/kernels/composite/max_pool1d_with_indices.h"
#include "opweave/kernels/composite/one_hot.h"
#include "opweave/kernels/composite/plane_gather.h"
#include "opweave/kernels/composite/prelu.h"
#include "opweave/ops/_prelu_kernel.h"
#include "opweave/ops/_unique2.h"
#include "opweave/ops/adaptive_avg_pool2d.h"
#include "opweave/ops/adaptive_max_pool2d.h"
#include "opweave/ops/avg_pool2d.h"
#include "opweave/ops/broadcast_tensors.h"
#include "opweave/ops/clamp_min.h"
#include "opweave/ops/div.h"
#include "opweave/ops/eq.h"
#include "opweave/ops/flatten.h"
#include "opweave/ops/gather.h"
#include "opweave/ops/glu_elements.h"
#include "opweave/ops/index_select.h"
#include "opweave/ops/item.h"
#include "opweave/ops/linalg_vector_norm.h"
#include "opweave/ops/masked_fill.h"
#include "opweave/ops/max.h"
#include "opweave/ops/max_pool2d_with_indices.h"
#include "opweave/ops/min.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/narrow.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/scatter.h"
#include "opweave/ops/squeeze.h"
#include "opweave/ops/sum.h"
#include "opweave/ops/to.h"
#include "opweave/ops/unsqueeze.h"
#include "opweave/ops/zeros.h"
#include "runtime/core/tensor/type_promotion.h"

namespace opweave::composite {
namespace {

// One-dimensional pooling: a plane with one row.
Tensor as_rows(std::string_view op, const Tensor& self) {
  OW_CHECK(self.dim() == 2 || self.dim() == 3, op,
           ": Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but "
           "got:",
           self.sizes());
  return opweave::unsqueeze(self, -2);
}
Tensor without_rows(const Tensor& t) { return ops::squeeze_dim::call(t, -2); }

struct RowOptions {
  int64_t kernel[2], stride[2], padding[2], dilation[2];

  RowOptions(IntList k, IntList s, IntList p, IntList d)
      : kernel{1, k[0]}, stride{1, s.empty() ? k[0] : s[0]}, padding{0, p[0]}, dilation{1, d[0]} {}
};
IntList pair(const int64_t (&values)[2]) { return IntList(values, 2); }

}  // namespace

// Gradients divided by how often each row is named have such a derivative, too.
Tensor embedding_grad_output_gradient(const Tensor& grad, const Tensor& indices,
                                      int64_t padding_idx, bool scale_grad_by_freq) {
  const Tensor flat = opweave::reshape(indices, IntList{-1});
  DimVector sizes(indices.sizes());
  sizes.push_back(grad.size(-1));
  Tensor rows = opweave::index_select(grad, 0, flat);
  if (scale_grad_by_freq) {
    const auto [words, which, counts] = opweave::_unique2(flat, true, true, true);
    const Tensor often = opweave::to(opweave::index_select(counts, 0, which), rows.dtype());
    rows = opweave::div(rows, opweave::unsqueeze(often, 1));
  }
  rows = opweave::reshape(rows, sizes);
  if (padding_idx < 0) return rows;
  const Tensor padding = opweave::unsqueeze(opweave::eq(indices, Scalar(padding_idx)), -1);
  return opweave::masked_fill(rows, padding, 0);
}

Tensor one_hot(const Tensor& self, int64_t num_classes) {
  OW_CHECK(self.dtype() == kLong, "one_hot is only applicable to index tensor of type LongTensor.");
  if (self.numel() == 0) {
    OW_CHECK(num_classes > 0, "Can not infer total number of classes from empty tensor.");
  } else {
    OW_CHECK(num_classes > 0 || !is_batched(self),
             "When vmap-ing one_hot, please provide an explicit positive num_classes argument.");
    const Tensor classes = every_example(self);
    const int64_t least = opweave::item(ops::min::call(classes)).to_long();
    OW_CHECK(least >= 0, "Class values must be non-negative, got ", least, ".");
    const int64_t largest = opweave::item(ops::max::call(classes)).to_long();
    if (num_classes == -1) num_classes = largest + 1;
    OW_CHECK(largest < num_classes, "Class values must be smaller than num_classes (", num_classes,
             "), got ", largest, ".");
  }
  DimVector sizes(self.sizes());
  sizes.push_back(num_classes);
  const Tensor zeros = opweave::zeros(sizes, kLong, self.layout(), self.device());
  return ops::scatter_value::call(zeros, -1, opweave::unsqueeze(self, -1), 1);
}

Tensor glu(const Tensor& self, int64_t dim) {
  const int64_t d = wrap_dim(dim, self.dim()), n = self.size(d);
  return opweave::glu_elements(opweave::narrow(self, d, 0, n / 2),
                               opweave::narrow(self, d, n / 2, n / 2));
}

Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim, double eps) {
  ResultType common;
  common.add(x1);
  common.add(x2);
  const ScalarType dtype = common.result();
  auto length = [&](const Tensor& x) {
    const Tensor norm = opweave::linalg_vector_norm(x, 2, IntList{dim}, true, std::nullopt);
    return opweave::clamp_min(norm, Scalar(eps));
  };
  // Lengths are those of the broadcast vectors.
  auto common_of = [&](const Tensor& x) { return x.dtype() == dtype ? x : opweave::to(x, dtype); };
  const std::vector<Tensor> x =
      opweave::broadcast_tensors(std::array{common_of(x1), common_of(x2)});
  const Tensor product =
      opweave::mul(opweave::div(x[0], length(x[0])), opweave::div(x[1], length(x[1])));
  return ops::sum_dim_IntList::call(product, IntList{dim}, false, {});
}

std::tuple<Tensor, Tensor> max_pool1d_with_indices(const Tensor& self, IntList kernel_size,
                                                   IntList stride, IntList padding,
                                                   IntList dilation, bool ceil_mode) {
  const RowOptions o(kernel_size, stride, padding, dilation);
  const auto [values, indices] =
      opweave::max_pool2d_with_indices(as_rows("max_pool1d", self), pair(o.kernel), pair(o.stride),
                                       pair(o.padding), pair(o.dilation), ceil_mode);
  return {without_rows(values), without_rows(indices)};
}
Tensor plane_gather(const Tensor& self, const Tensor& indices) {
  const Tensor flat = opweave::flatten(indices, -2, -1);
  return opweave::reshape(opweave::gather(opweave::flatten(self, -2, -1), -1, flat),
                          indices.sizes());
}

Tensor avg_pool1d(const Tensor& self, IntList kernel_size, IntList stride, IntList padding,
                  bool ceil_mode, bool count_include_pad) {
  const RowOptions o(kernel_size, stride, padding, IntList{1});
  return without_rows(opweave::avg_pool2d(as_rows("avg_pool1d", self), pair(o.kernel),
                                          pair(o.stride), pair(o.padding), ceil_mode,
                                          count_include_pad, std::nullopt));
}
Tensor adaptive_avg_pool1d(const Tensor& self, IntList output_size) {
  const Tensor rows = as_rows("adaptive_avg_pool1d", self);
  return without_rows(opweave::adaptive_avg_pool2d(rows, IntList{1, output_size[0]}));
}
std::tuple<Tensor, Tensor> adaptive_max_pool1d(const Tensor& self, IntList output_size) {
  const Tensor rows = as_rows("adaptive_max_pool1d", self);
  const auto [values, indices] = opweave::adaptive_max_pool2d(rows, IntList{1, output_size[0]});
  return {without_rows(values), without_rows(indices)};
}

Tensor prelu(const Tensor& self, const Tensor& weight) {
  // A weight for each channel lies along the second dimension.
  const int64_t rank = weight.numel() == 1 ? 0 : std::max<int64_t>(self.dim() - 1, 1);
  DimVector sizes(static_cast<size_t>(rank), 1);
  if (rank > 0) sizes[0] = weight.numel();
  return opweave::_prelu_kernel(self, opweave::reshape(weight, sizes));
}

}  // namespace opweave::composite
