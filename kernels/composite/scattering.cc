// gather, scatter and masks: functional forms, gradients, and what is made of them.
#include <cmath>

#include "kernels/composite/element_fits.h"
#include "kernels/composite/every_example.h"
#include "kernels/composite/new_tensor.h"
#include "kernels/composite/recording.h"
#include "kernels/composite/writing.h"
#include "opweave/kernels/composite/gather_backward.h"
#include "opweave/kernels/composite/index_reduce.h"
#include "opweave/kernels/composite/index_reduce_.h"
#include "opweave/kernels/composite/masked_fill.h"
#include "opweave/kernels/composite/masked_fill_.h"
#include "opweave/kernels/composite/masked_scatter.h"
#include "opweave/kernels/composite/masked_scatter_backward.h"
#include "opweave/kernels/composite/masked_select_backward.h"
#include "opweave/kernels/composite/nonzero_numpy.h"
#include "opweave/kernels/composite/put.h"
#include "opweave/kernels/composite/scatter.h"
#include "opweave/kernels/composite/scatter_.h"
#include "opweave/kernels/composite/scatter_add.h"
#include "opweave/kernels/composite/scatter_reduce.h"
#include "opweave/kernels/composite/scatter_reduce_backward.h"
#include "opweave/kernels/composite/scatter_src_backward.h"
#include "opweave/kernels/composite/take.h"
#include "opweave/kernels/composite/take_along_dim.h"
#include "opweave/ops/add.h"
#include "opweave/ops/arange.h"
#include "opweave/ops/clamp_min.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/contiguous.h"
#include "opweave/ops/copy_.h"
#include "opweave/ops/div.h"
#include "opweave/ops/eq.h"
#include "opweave/ops/expand.h"
#include "opweave/ops/full.h"
#include "opweave/ops/gather.h"
#include "opweave/ops/ge.h"
#include "opweave/ops/gt.h"
#include "opweave/ops/index.h"
#include "opweave/ops/index_put.h"
#include "opweave/ops/index_put_.h"
#include "opweave/ops/index_reduce_.h"
#include "opweave/ops/isnan.h"
#include "opweave/ops/item.h"
#include "opweave/ops/logical_and.h"
#include "opweave/ops/logical_not.h"
#include "opweave/ops/logical_or.h"
#include "opweave/ops/lt.h"
#include "opweave/ops/masked_fill.h"
#include "opweave/ops/masked_scatter.h"
#include "opweave/ops/masked_select.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/narrow.h"
#include "opweave/ops/nonzero.h"
#include "opweave/ops/ones_like.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/scatter.h"
#include "opweave/ops/scatter_add.h"
#include "opweave/ops/scatter_reduce.h"
#include "opweave/ops/slice_backward.h"
#include "opweave/ops/sum_to_size.h"
#include "opweave/ops/to.h"
#include "opweave/ops/unbind.h"
#include "opweave/ops/unsqueeze.h"
#include "opweave/ops/view.h"
#include "opweave/ops/where.h"
#include "opweave/ops/zeros_like.h"
#include "runtime/autograd/view.h"
#include "runtime/forward/layout.h"
#include "runtime/forward/tangents.h"
#include "runtime/rules/broadcast.h"
#include "runtime/rules/overlap.h"

namespace opweave::composite {
namespace {

// A copy, changed in place. It is contiguous, as PyTorch's.
template <class F>
Tensor changed_copy(const Tensor& self, F change) {
  Tensor copy = opweave::clone(self, MemoryFormat::kContiguous);
  change(copy);
  return copy;
}

// The shape in which all dimensions but one are broadcast against another shape.
DimVector broadcast_but(IntList sizes, IntList other, int64_t dim) {
  DimVector mine(sizes), others(other);
  mine[dim] = others[dim] = 1;
  DimVector shape = broadcast_sizes(mine, others);
  shape[dim] = sizes[dim];
  return shape;
}

}  // namespace

Tensor scatter_src(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  return changed_copy(self, [&](Tensor& t) { opweave::scatter_(t, dim, index, src); });
}

Tensor scatter_value(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
  return changed_copy(self, [&](Tensor& t) { opweave::scatter_(t, dim, index, value); });
}

Tensor scatter_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                      std::string_view reduce) {
  return changed_copy(self, [&](Tensor& t) { opweave::scatter_(t, dim, index, src, reduce); });
}

Tensor& scatter__value_reduce(Tensor& self, int64_t dim, const Tensor& index, const Scalar& value,
                              std::string_view reduce) {
  const Tensor number = filled(make_tensor({}, self.dtype(), self.device()), value);
  const Tensor src = ops::expand::make_view(number, index.sizes(), false);
  return opweave::scatter_(self, dim, index, src, reduce);
}

Tensor scatter_value_reduce(const Tensor& self, int64_t dim, const Tensor& index,
                            const Scalar& value, std::string_view reduce) {
  return changed_copy(self, [&](Tensor& t) { opweave::scatter_(t, dim, index, value, reduce); });
}

Tensor scatter_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  return changed_copy(self, [&](Tensor& t) { opweave::scatter_add_(t, dim, index, src); });
}

Tensor gather_backward(const Tensor& grad, IntList sizes, int64_t dim, const Tensor& index) {
  Tensor result = zeros_of(sizes, grad);
  return opweave::scatter_add_(result, dim, index, grad);
}

namespace {

// What an index gathered, in the place of a source; zeros for what the index did not reach.
Tensor placed_in(IntList src_sizes, Tensor result) {
  // A number counts as a vector of one element.
  if (result.dim() < static_cast<int64_t>(src_sizes.size())) result = opweave::unsqueeze(result, 0);
  if (src_sizes.size() == 0 && result.dim() == 1) return opweave::reshape(result, src_sizes);
  DimVector sizes(result.sizes());
  for (size_t d = 0; d < src_sizes.size(); ++d) {
    if (sizes[d] == src_sizes[d]) continue;
    const int64_t reached = sizes[d];
    sizes[d] = src_sizes[d];
    result = opweave::slice_backward(result, sizes, static_cast<int64_t>(d), 0, reached, 1);
  }
  return result;
}

}  // namespace

Tensor scatter_src_backward(const Tensor& grad, int64_t dim, const Tensor& index,
                            IntList src_sizes) {
  if (index.numel() == 0) return zeros_of(src_sizes, grad);
  return placed_in(src_sizes, opweave::gather(grad, dim, index));
}

namespace {

// A call of scatter_reduce, seen from its gradients.
struct Scattered {
  const Tensor& grad;
  const Tensor& self;
  int64_t dim;
  const Tensor& index;
  const Tensor& src;
  std::string_view reduce;
  bool include_self;

  // The elements of the source that the index reaches.
  Tensor reached() const {
    if (src.dim() != index.dim()) return opweave::reshape(src, index.sizes());
    Tensor part = src;
    for (int64_t d = 0; d < index.dim(); ++d) part = opweave::narrow(part, d, 0, index.size(d));
    return part;
  }
  Tensor gathered(const Tensor& t) const { return opweave::gather(t, dim, index); }
  // What the call gave; not kept from it, as the in-place form's result may have been written to
  // since.
  Tensor result(const Tensor& began, const Tensor& values) const {
    return opweave::scatter_reduce(began, dim, index, values, reduce, include_self);
  }
  // Of the elements of a mask the first that comes to each place.
  Tensor first_of_each(const Tensor& mask) const {
    const int64_t n = index.numel();
    const Tensor numbers =
        opweave::view(opweave::arange(0, n, 1, kLong, {}, index.device()), index.sizes());
    const Tensor own = opweave::where(mask, numbers, Scalar(n));
    const Tensor none = opweave::full(self.sizes(), n, kLong, {}, self.device());
    const Tensor least = opweave::scatter_reduce(none, dim, index, own, "amin", true);
    return opweave::logical_and(mask, opweave::eq(own, gathered(least)));
  }
  // To each place the sum of what comes there.
  Tensor sums(const Tensor& began, const Tensor& values) const {
    return opweave::scatter_add(began, dim, index, opweave::to(values, began.dtype()));
  }
};

using Gradients = std::tuple<Tensor, Tensor>;

Gradients gradients_of_mean(const Scattered& call) {
  const Tensor began =
      call.include_self ? opweave::ones_like(call.grad) : opweave::zeros_like(call.grad);
  const Tensor counts = opweave::clamp_min(call.sums(began, opweave::ones_like(call.index)), 1);
  const Tensor share = opweave::div(call.grad, counts);
  return {share, call.gathered(share)};
}

Gradients gradients_of_extreme(const Scattered& call) {
  const Tensor result = call.result(call.self, call.src);
  const Tensor unknown = opweave::isnan(result);
  const Tensor equal = opweave::eq(call.self, result);
  const Tensor own = call.include_self ? equal : opweave::zeros_like(equal);
  const Tensor given = opweave::eq(call.reached(), call.gathered(result));
  const Tensor total = call.sums(opweave::to(own, call.grad.dtype()), given);
  // Where only the tensor's own element is, and takes no part, there is nothing to divide by.
  const Tensor share = opweave::div(
      call.grad, opweave::masked_fill(opweave::clamp_min(total, 1), unknown, std::nan("")));
  const Tensor kept =
      call.include_self ? opweave::where(opweave::logical_or(own, unknown), share, 0) : call.grad;
  const Tensor takes_part = opweave::logical_or(given, call.gathered(unknown));
  return {kept, opweave::where(takes_part, call.gathered(share), 0)};
}

// By quotients, and where one factor is zero by the product of the others.
Gradients gradients_of_product(const Scattered& call) {
  const Tensor src = call.reached();
  const Tensor own = opweave::masked_fill(call.self, opweave::eq(call.self, 0), 1);
  const Tensor kept = opweave::mul(call.grad, opweave::div(call.result(own, src), own));
  const Tensor zero = opweave::eq(src, 0);
  const Tensor zeros = call.gathered(call.sums(opweave::zeros_like(call.self), zero));
  const Tensor quotient =
      opweave::div(call.gathered(call.result(call.self, src)), opweave::masked_fill(src, zero, 1));
  const auto without = [&](const Tensor& factors) {
    return call.gathered(call.result(call.self, opweave::masked_fill(src, factors, 1)));
  };
  const Tensor only = opweave::logical_and(zero, opweave::eq(zeros, 1));
  Tensor factor = opweave::where(only, without(only), quotient);
  // Of several zeros the gradient is zero, but not its own: each is a factor of the others'. One of
  // each place at a time; of more than there are rounds derivatives of that order are zero, too.
  constexpr int kRounds = 4;
  Tensor left = opweave::logical_and(zero, opweave::gt(zeros, 1));
  for (int round = 0; round < kRounds && recording(call.grad, call.self, call.src); ++round) {
    if (holds_everywhere(opweave::logical_not(left))) break;
    const Tensor first = call.first_of_each(left);
    factor = opweave::where(first, without(first), factor);
    left = opweave::logical_and(left, opweave::logical_not(first));
  }
  return {kept, opweave::mul(call.gathered(call.grad), factor)};
}

Gradients gradients_of(const Scattered& call) {
  if (call.reduce == "sum") return {call.grad, call.gathered(call.grad)};
  if (call.reduce == "mean") return gradients_of_mean(call);
  return call.reduce == "prod" ? gradients_of_product(call) : gradients_of_extreme(call);
}

// scatter() has words of its own for two of them.
std::string_view word_of(std::string_view reduce) {
  return reduce == "add" ? "sum" : reduce == "multiply" ? "prod" : reduce;
}

}  // namespace

std::tuple<Tensor, Tensor> scatter_reduce_backward(const Tensor& grad, const Tensor& self,
                                                   int64_t dim, const Tensor& index,
                                                   const Tensor& src, std::string_view reduce,
                                                   bool include_self) {
  if (index.numel() == 0) return {grad, opweave::zeros_like(src)};
  const Scattered call{grad, self, dim, index, src, word_of(reduce), include_self};
  const auto [kept, given] = gradients_of(call);
  return {include_self ? kept : opweave::scatter(kept, dim, index, 0),
          placed_in(src.sizes(), given)};
}

Tensor scatter_reduce_two(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                          std::string_view reduce, bool include_self) {
  return changed_copy(
      self, [&](Tensor& t) { opweave::scatter_reduce_(t, dim, index, src, reduce, include_self); });
}

Tensor& index_reduce_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                      std::string_view reduce, bool include_self) {
  DimVector sizes(static_cast<size_t>(self.dim()), 1);
  if (self.dim() > 0) sizes[wrap_dim(dim, self.dim())] = index.numel();
  const Tensor places = opweave::expand(opweave::reshape(index, sizes), source.sizes(), false);
  return opweave::scatter_reduce_(self, dim, places, source, reduce, include_self);
}

Tensor index_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                    std::string_view reduce, bool include_self) {
  Tensor copy = opweave::clone(self, MemoryFormat::kContiguous);
  return opweave::index_reduce_(copy, dim, index, source, reduce, include_self);
}

namespace {

void check_fill(const Tensor& self, const Tensor& mask, const Tensor& value) {
  OW_CHECK(value.dim() == 0,
           "masked_fill only supports a 0-dimensional value tensor, but got tensor "
           "with ",
           value.dim(), " dimension(s).");
  OW_CHECK(mask.dtype() == kBool,
           "masked_fill only supports boolean masks, but got mask with dtype ", mask.dtype());
  check_element_fits(value, self.dtype());
}

}  // namespace

// Where elements overlap a copy of all would undo some writes; index_put_ knows a gradient there.
Tensor& masked_fill__Tensor(Tensor& self, const Tensor& mask, const Tensor& value) {
  if (!may_overlap(self))
    return opweave::copy_(self, opweave::masked_fill(without_view_hooks(self), mask, value));
  check_fill(self, mask, value);
  if (value.requires_grad() || has_forward_key(value)) {
    const std::vector<Tensor> whole = {opweave::expand(mask, self.sizes(), false)};
    return opweave::index_put_(self, whole, opweave::to(value, self.device(), self.dtype()), false);
  }
  return opweave::masked_fill_(self, mask, opweave::item(value));
}

Tensor masked_fill_Tensor(const Tensor& self, const Tensor& mask, const Tensor& value) {
  check_fill(self, mask, value);
  return opweave::contiguous(
      opweave::where(mask, opweave::to(value, self.device(), self.dtype()), self));
}

Tensor masked_select_backward(const Tensor& grad, IntList sizes, const Tensor& mask) {
  Tensor result = zeros_of(broadcast_sizes(sizes, mask.sizes()), grad);
  opweave::masked_scatter_(result, mask, grad);
  return opweave::sum_to_size(result, sizes);
}

Tensor masked_scatter(const Tensor& self, const Tensor& mask, const Tensor& source) {
  const DimVector sizes = broadcast_sizes(self.sizes(), mask.sizes());
  const Tensor wide = ops::expand::make_view(self, sizes, false);
  Tensor result = opweave::clone(wide, MemoryFormat::kContiguous);
  return opweave::masked_scatter_(result, mask, source);
}

Tensor masked_scatter_backward(const Tensor& grad, const Tensor& mask, IntList sizes) {
  const Tensor used = opweave::masked_select(grad, mask);
  const int64_t n = checked_numel(sizes);
  const Tensor all =
      used.numel() == n ? used : opweave::slice_backward(used, {n}, 0, 0, used.numel(), 1);
  return opweave::reshape(all, sizes);
}

std::vector<Tensor> nonzero_numpy(const Tensor& self) {
  const bool number = self.dim() == 0;
  const Tensor line = number ? ops::unsqueeze::make_view(self, 0) : self;
  return opweave::unbind(opweave::nonzero(line), 1);
}

Tensor take(const Tensor& self, const Tensor& index) {
  OW_CHECK(index.dtype() == kLong, "take(): Expected a long tensor for index, but got ",
           index.dtype());
  const Tensor flat = opweave::reshape(self, {-1});
  const Tensor positions = opweave::reshape(index, {-1});
  const Tensor indices[] = {positions};
  return opweave::reshape(opweave::index(flat, indices), index.sizes());
}

Tensor put(const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate) {
  const Tensor places[] = {opweave::reshape(index, {-1})};
  const Tensor flat = opweave::index_put(opweave::reshape(self, {-1}), places,
                                         opweave::reshape(source, {-1}), accumulate);
  return laid_out(opweave::reshape(flat, self.sizes()), self);
}

namespace {

// Indices counted from the front; those that lie outside stay what they are, for the text.
Tensor counted_from_front(const Tensor& indices, int64_t size) {
  const Tensor backwards =
      opweave::logical_and(opweave::lt(indices, 0), opweave::ge(indices, -size));
  return opweave::where(backwards, opweave::add(indices, size), indices);
}

}  // namespace

Tensor take_along_dim(const Tensor& self, const Tensor& indices, std::optional<int64_t> dim) {
  if (!dim) {
    return opweave::gather(opweave::reshape(self, {-1}), 0, opweave::reshape(indices, {-1}));
  }
  const int64_t d = wrap_dim(*dim, self.dim());
  const Tensor counted = counted_from_front(indices, self.dim() == 0 ? 1 : self.size(d));
  if (self.dim() == 0) return opweave::gather(self, d, counted);
  const DimVector self_sizes = broadcast_but(self.sizes(), indices.sizes(), d);
  const DimVector index_sizes = broadcast_but(indices.sizes(), self.sizes(), d);
  return opweave::gather(opweave::expand(self, self_sizes), d,
                         opweave::expand(counted, index_sizes));
}

}  // namespace opweave::composite
