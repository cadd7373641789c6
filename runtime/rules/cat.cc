// Shape, dtype and layout of concatenations.
#include "runtime/rules/cat.h"

#include "runtime/core/tensor/type_promotion.h"
#include "runtime/rules/over/tensors.h"

namespace opweave {
namespace {

MemoryFormat common_format(TensorList tensors) {
  if (rule::over::first_counted(tensors) == nullptr) return MemoryFormat::kContiguous;
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
  return over::cat_sizes<int64_t>(tensors, dim, [](int64_t& sum, int64_t size, int64_t d) {
    OW_CHECK(!__builtin_add_overflow(sum, size, &sum), "cat(): the sizes along dimension ", d,
             " add up to more than 2^63 - 1");
  });
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
