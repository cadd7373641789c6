// Shape, dtype and layout of concatenations.
#include "runtime/rules/cat.h"

#include "runtime/core/tensor/type_promotion.h"

namespace opweave {
namespace {

const Tensor* first_counted(TensorList tensors) {
  for (const Tensor& t : tensors) {
    if (!is_skipped_by_cat(t)) return &t;
  }
  return nullptr;
}

void check_part(const Tensor& part, size_t i, IntList sizes, int64_t dim) {
  OW_CHECK(part.sizes().size() == sizes.size(),
           "cat(): Tensors must have same number of dimensions: got ", sizes.size(), " and ",
           part.dim(), " for tensor number ", i, " in the list");
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (static_cast<int64_t>(d) == dim) continue;
    OW_CHECK(part.sizes()[d] == sizes[d], "cat(): Sizes of tensors must match except in dimension ",
             dim, ". Expected size ", sizes[d], " but got size ", part.sizes()[d],
             " for tensor number ", i, " in the list.");
  }
}

MemoryFormat common_format(TensorList tensors) {
  if (first_counted(tensors) == nullptr) return MemoryFormat::kContiguous;
  for (MemoryFormat format : {MemoryFormat::kChannelsLast, MemoryFormat::kChannelsLast3d}) {
    bool all = true;
    for (const Tensor& t : tensors) {
      all = all && (is_skipped_by_cat(t) || (t.is_contiguous(format) && !t.is_contiguous()));
    }
    if (all) return format;
  }
  return MemoryFormat::kContiguous;
}

}  // namespace

CatShape cat_shape(TensorList tensors, int64_t dim) {
  DimVector sizes = rule::cat_sizes(tensors, dim);
  const int64_t rank = static_cast<int64_t>(sizes.size());
  return {wrap_dim(dim, rank), rule::common_dtype(tensors), tensors[0].device(), std::move(sizes),
          common_format(tensors)};
}

Tensor make_cat_result(const CatShape& shape) {
  if (shape.format == MemoryFormat::kContiguous) {
    return make_tensor(shape.sizes, shape.dtype, shape.device);
  }
  return make_tensor_strided(shape.sizes, strides_for(shape.sizes, shape.format), shape.dtype,
                             shape.device);
}

namespace rule {

DimVector cat_sizes(TensorList tensors, int64_t dim) {
  OW_CHECK_VALUE(!tensors.empty(), "cat(): expected a non-empty list of Tensors");
  for (size_t i = 0; i < tensors.size(); ++i) {
    OW_CHECK(tensors[i].dim() > 0, "zero-dimensional tensor (at position ", i,
             ") cannot be concatenated");
    OW_CHECK(tensors[i].device() == tensors[0].device(),
             "cat(): expected all tensors to be on the same device, but found ",
             tensors[0].device(), " and ", tensors[i].device());
  }
  const Tensor* const first = first_counted(tensors);
  if (first == nullptr) {
    wrap_dim(dim, 1);
    return {0};
  }
  const int64_t d = wrap_dim(dim, first->dim());
  DimVector sizes(first->sizes());
  sizes[d] = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (is_skipped_by_cat(tensors[i])) continue;
    check_part(tensors[i], i, first->sizes(), d);
    OW_CHECK(!__builtin_add_overflow(sizes[d], tensors[i].sizes()[d], &sizes[d]),
             "cat(): the sizes along dimension ", d, " add up to more than 2^63 - 1");
  }
  return sizes;
}

DimVector cat_strides(TensorList tensors, IntList sizes) {
  const MemoryFormat format = common_format(tensors);
  return format == MemoryFormat::kContiguous ? DimVector() : strides_for(sizes, format);
}

ScalarType common_dtype(TensorList tensors) {
  ResultType dtype;
  for (const Tensor& t : tensors) dtype.add(t);
  return dtype.result();
}

}  // namespace rule

}  // namespace opweave
