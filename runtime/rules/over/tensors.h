// Rule functions of lists of tensors, over any kind of number; `Tensors` are a view of them.
#pragma once

#include "runtime/rules/over/lists.h"

namespace opweave::rule::over {

// An empty vector goes with any shape and adds nothing.
template <class Tensor>
bool is_skipped_by_cat(const Tensor& t) {
  return t.dim() == 1 && t.numel() == 0;
}

template <class Tensors>
auto first_counted(const Tensors& tensors) -> decltype(tensors.data()) {
  for (const auto& t : tensors) {
    if (!is_skipped_by_cat(t)) return &t;
  }
  return nullptr;
}

template <class Tensor, class Sizes>
void check_cat_part(const Tensor& part, size_t i, const Sizes& sizes, int64_t dim) {
  OW_CHECK(part.sizes().size() == sizes.size(),
           "cat(): Tensors must have same number of dimensions: got ", sizes.size(), " and ",
           part.dim(), " for tensor number ", i, " in the list");
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (static_cast<int64_t>(d) == dim) continue;
    OW_CHECK(sizes[d] == part.sizes()[d], "cat(): Sizes of tensors must match except in dimension ",
             dim, ". Expected size ", sizes[d], " but got size ", part.sizes()[d],
             " for tensor number ", i, " in the list.");
  }
}

// `add(sum, size, dim)` adds to a size.
template <class Int, class Tensors, class Add>
List<Int> cat_sizes(const Tensors& tensors, int64_t dim, Add add) {
  OW_CHECK_VALUE(!tensors.empty(), "cat(): expected a non-empty list of Tensors");
  for (size_t i = 0; i < tensors.size(); ++i) {
    OW_CHECK(tensors[i].dim() > 0, "zero-dimensional tensor (at position ", i,
             ") cannot be concatenated");
    OW_CHECK(tensors[i].device() == tensors[0].device(),
             "cat(): expected all tensors to be on the same device, but found ",
             tensors[0].device(), " and ", tensors[i].device());
  }
  const auto* const first = first_counted(tensors);
  if (first == nullptr) {
    wrap_dim(dim, 1);
    return {0};
  }
  const int64_t d = wrap_dim(dim, first->dim());
  List<Int> sizes(first->sizes());
  sizes[d] = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (is_skipped_by_cat(tensors[i])) continue;
    check_cat_part(tensors[i], i, first->sizes(), d);
    add(sizes[d], tensors[i].sizes()[d], d);
  }
  return sizes;
}

}  // namespace opweave::rule::over
