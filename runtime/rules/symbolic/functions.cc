// Rule functions over symbols.
#include "runtime/rules/symbolic/functions.h"

#include "dtypes/promotion.h"
#include "runtime/rules/over/tensors.h"
#include "runtime/rules/reduction.h"

namespace opweave::symbols::rule {
namespace {

namespace generic = opweave::rule::generic;

void check_layout_known(const Tensor& tensor) {
  OW_CHECK(tensor.is_contiguous(), "how a tensor of sizes ", tensor.sizes(), " and strides ",
           tensor.strides(), " lies in memory is not known");
}

}  // namespace

DimVector reduced(IntList sizes, const std::optional<IntList>& dim, bool keepdim) {
  std::optional<opweave::DimVector> dims;
  if (dim) dims = symbolic::guard_ints(*dim);
  const DimMask mask = reduced_dims(dims ? std::optional<opweave::IntList>(*dims) : std::nullopt,
                                    static_cast<int64_t>(sizes.size()));
  return generic::reduced<DimVector>(
      sizes, [&](size_t i) { return mask[i]; }, keepdim);
}

DimVector reduced(IntList sizes, const std::optional<Int>& dim, bool keepdim) {
  check_reducible(static_cast<int64_t>(sizes.size()));
  return over::reduced<Int>(sizes, dim ? std::optional(dim->guard_int()) : std::nullopt, keepdim);
}

Int min(const Int& a, const Int& b) {
  return {smaller(a.size(), b.size()), std::min(a.hint(), b.hint())};
}

Int max(const Int& a, const Int& b) {
  return {larger(a.size(), b.size()), std::max(a.hint(), b.hint())};
}

// One -1 stands for what is left of the elements, under the condition that it leaves no rest.
DimVector inferred(std::string_view op, IntList shape, const Int& numel) {
  const std::optional<size_t> open = over::find_inferred<Int>(shape);
  DimVector result(shape);
  if (open) result[*open] = 1;
  const Int rest = product(result);
  OW_CHECK(!open || rest != Int(0), "cannot reshape a tensor into shape ", shape,
           " because the unspecified dimension size -1 can be any value and is ambiguous");
  const Int left = open ? floor_div(numel, rest) : Int(1);
  OW_CHECK(left * rest == numel, op, "(): shape '", shape, "' is invalid for input of size ",
           numel);
  if (open) result[*open] = left;
  return result;
}

DimVector view_strides(IntList sizes, IntList strides, IntList shape) {
  over::check_one_each<Int>(strides, sizes);
  for (const Int& size : sizes) {
    if (size.size() == opweave::rule::Size(0))
      return same(sizes, shape) ? DimVector(strides) : symbolic::contiguous_strides(shape);
  }
  return over::view_strides<Int>(sizes, strides, shape);
}

DimVector ordered(IntList dims, const Int& rank) {
  DimVector order;
  for (const int64_t d : wrap_dims("permute", symbolic::guard_ints(dims), rank.guard_int()))
    order.push_back(d);
  return order;
}

Int index_along(const Int& index, const Int& size) {
  const bool from_end = index.size().number().value_or(0) < 0;
  const Int at = from_end ? index + size : index;
  OW_CHECK_INDEX(Int(0) <= at && at < size, "index ", index,
                 " is out of range for a dimension of size ", size);
  return at;
}

Int clamped(const std::optional<Int>& index, const Int& otherwise, const Int& size) {
  const Int at = index.value_or(otherwise);
  return {opweave::rule::clamped(at.size(), size.size()),
          opweave::rule::clamped(at.hint(), at.hint(), size.hint())};
}

DimVector cat_sizes(TensorList tensors, const Int& dim) {
  return over::cat_sizes<Int>(tensors, dim.guard_int(),
                              [](Int& sum, const Int& size, int64_t) { sum = sum + size; });
}

DimVector cat_strides(TensorList tensors, IntList) {
  for (const Tensor& tensor : tensors) check_layout_known(tensor);
  return {};
}

// Tensors without dimensions promote only to another category.
ScalarType common_dtype(TensorList tensors) {
  ScalarType with_dims = ScalarType::kUndefined, without = ScalarType::kUndefined;
  for (const Tensor& t : tensors) {
    ScalarType& all = t.dim() > 0 ? with_dims : without;
    all = all == ScalarType::kUndefined ? t.dtype() : promote_types(all, t.dtype());
  }
  return promoted_by_priority(with_dims, without).type;
}

DimVector strides_like(IntList, const Tensor& tensor) {
  check_layout_known(tensor);
  return {};
}

DimVector dense_strides(const Tensor& tensor) {
  check_layout_known(tensor);
  return {};
}

}  // namespace opweave::symbols::rule
