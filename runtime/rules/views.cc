// What views look like.
#include "runtime/rules/views.h"

#include "runtime/rules/arithmetic.h"
#include "runtime/rules/over/views.h"

namespace opweave::rule {
[[gnu::hot]] DimVector swapped(IntList list, int64_t dim0, int64_t dim1) {
  return over::swapped<int64_t>(list, dim0, dim1);
}

[[gnu::hot]] DimVector permuted(IntList list, IntList order) {
  return over::permuted<int64_t>(list, order);
}

DimVector squeezed(IntList list, IntList sizes) { return over::squeezed<int64_t>(list, sizes); }

[[gnu::hot]] DimVector squeezed(IntList list, IntList sizes, IntList dim) {
  return over::squeezed<int64_t>(list, sizes, dim);
}

[[gnu::hot]] DimVector inferred(std::string_view op, IntList shape, int64_t numel) {
  const std::optional<size_t> open = over::find_inferred<int64_t>(shape);
  DimVector result(shape);
  if (!open) {
    // Overflowing products cannot be a shape of anything that exists.
    OW_CHECK(checked_numel(shape) == numel, op, "(): shape '", shape,
             "' is invalid for input of size ", numel);
    return result;
  }
  result[*open] = 1;
  const int64_t rest = checked_numel(result);
  OW_CHECK(rest != 0 || numel != 0, "cannot reshape tensor of 0 elements into shape ", shape,
           " because the unspecified dimension size -1 can be any value and is ambiguous");
  OW_CHECK(rest != 0 && numel % rest == 0, op, "(): shape '", shape,
           "' is invalid for input of size ", numel);
  result[*open] = numel / rest;
  return result;
}

[[gnu::hot]] DimVector expanded_sizes(IntList from, IntList to) {
  return over::expanded_sizes<int64_t>(from, to);
}

[[gnu::hot]] DimVector expanded_strides(IntList from, IntList strides, IntList to) {
  return over::expanded_strides<int64_t>(from, strides, to);
}

[[gnu::hot]] DimVector view_strides(IntList sizes, IntList strides, IntList shape) {
  over::check_one_each<int64_t>(strides, sizes);
  if (generic::product<int64_t>(sizes) == 0) {
    return same_sizes(sizes, shape) ? DimVector(strides) : contiguous_strides(shape);
  }
  return over::view_strides<int64_t>(sizes, strides, shape);
}

bool has_view_strides(IntList sizes, IntList strides, IntList shape) {
  DimVector result(shape.size(), 1);
  return generic::product<int64_t>(sizes) == 0 ||
         over::find_view_strides<int64_t>(sizes, strides, shape, result);
}

int64_t index_along(int64_t index, int64_t size) {
  OW_CHECK_INDEX(index >= -size && index < size, "index ", index,
                 " is out of range for a dimension of size ", size);
  return index < 0 ? index + size : index;
}

int64_t clamped(std::optional<int64_t> index, int64_t otherwise, int64_t size) {
  int64_t at = index.value_or(otherwise);
  if (at < 0) at += size;
  return std::clamp<int64_t>(at, 0, size);
}

}  // namespace opweave::rule
