// Rule functions of views, over any kind of number; see runtime/rules/views.h.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "runtime/rules/over/lists.h"

namespace opweave::rule::over {

template <class Int>
void check_one_each(View<Int> list, View<Int> sizes) {
  OW_CHECK(list.size() == sizes.size(), "the list ", list, " has another length than the sizes ",
           sizes);
}

template <class Int>
List<Int> swapped(View<Int> list, int64_t dim0, int64_t dim1) {
  const auto rank = static_cast<int64_t>(list.size());
  const auto a = static_cast<size_t>(wrap_dim(dim0, rank));
  const auto b = static_cast<size_t>(wrap_dim(dim1, rank));
  return generic::swapped<List<Int>>(list, a, b);
}

template <class Int>
List<Int> permuted(View<Int> list, IntList order) {
  for (const int64_t d : order) {
    OW_CHECK(d >= 0 && static_cast<size_t>(d) < list.size(), "index ", d,
             " is out of range for the list ", list);
  }
  return generic::permuted<List<Int>>(list, order);
}

template <class Int>
List<Int> squeezed(View<Int> list, View<Int> sizes) {
  check_one_each<Int>(list, sizes);
  return generic::squeezed<Int, List<Int>>(list, sizes, [](size_t) { return true; });
}

template <class Int>
List<Int> squeezed(View<Int> list, View<Int> sizes, IntList dim) {
  check_one_each<Int>(list, sizes);
  const DimVector named = wrap_dims("squeeze", dim, static_cast<int64_t>(sizes.size()));
  return generic::squeezed<Int, List<Int>>(list, sizes, [&](size_t d) {
    return std::find(named.begin(), named.end(), static_cast<int64_t>(d)) != named.end();
  });
}

// The position of the -1, if there is one.
template <class Int>
std::optional<size_t> find_inferred(View<Int> shape) {
  std::optional<size_t> inferred;
  for (size_t i = 0; i < shape.size(); ++i) {
    OW_CHECK(shape[i] >= Int(-1), "invalid shape dimension ", shape[i]);
    if (shape[i] != Int(-1)) continue;
    OW_CHECK(!inferred, "only one dimension can be inferred");
    inferred = i;
  }
  return inferred;
}

// `have`: the old size of dimension d, 1 where it is new.
template <class Int>
Int expanded_size(View<Int> from, View<Int> to, size_t d, bool leading, const Int& have) {
  const Int kept = -1;
  OW_CHECK(to[d] >= kept && !(leading && to[d] == kept), "The expanded size of the tensor (", to[d],
           ") isn't allowed in a ", leading ? "leading, non-existing" : "existing", " dimension ",
           d);
  OW_CHECK(to[d] == kept || have == Int(1) || to[d] == have, "The expanded size of the tensor (",
           to[d], ") must match the existing size (", have, ") at non-singleton dimension ", d,
           ".  Target sizes: ", to, ".  Tensor sizes: ", from);
  return to[d] == kept ? have : to[d];
}

template <class Int>
List<Int> expanded_sizes(View<Int> from, View<Int> to) {
  OW_CHECK(to.size() >= from.size(), "expand(): the number of sizes provided (", to.size(),
           ") must be greater or equal to the number of dimensions in the tensor (", from.size(),
           ")");
  List<Int> sizes(to.size());
  const size_t leading = to.size() - from.size();
  for (size_t d = 0; d < to.size(); ++d) {
    const bool is_new = d < leading;
    sizes[d] = expanded_size<Int>(from, to, d, is_new, is_new ? Int(1) : from[d - leading]);
  }
  return sizes;
}

template <class Int>
List<Int> expanded_strides(View<Int> from, View<Int> strides, View<Int> to) {
  check_one_each<Int>(strides, from);
  OW_CHECK(to.size() >= from.size(), "the sizes ", from, " do not expand to ", to);
  return generic::expanded_strides<Int, List<Int>>(from, strides, to);
}

// Old dimensions that continue one another form a block; new dimensions have to fill whole blocks.
// Whether they do; `result` is as long as the shape.
template <class Int>
bool find_view_strides(View<Int> sizes, View<Int> strides, View<Int> shape, List<Int>& result) {
  using A = generic::Arithmetic<Int>;
  if (sizes.empty()) return true;
  size_t next = shape.size();
  Int step = strides.back(), block = 1, filled = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    block = block * sizes[d];
    if (d > 0 && (sizes[d - 1] == Int(1) || A::is(strides[d - 1], A::stride_product(step, block))))
      continue;
    for (; next > 0 && (A::is_short_of(filled, block) || shape[next - 1] == Int(1)); --next) {
      result[next - 1] = A::stride_product(step, filled);
      filled = filled * shape[next - 1];
    }
    if (filled != block) return false;
    if (d > 0) step = strides[d - 1];
    block = filled = 1;
  }
  return true;
}

// Of a tensor that has elements.
template <class Int>
List<Int> view_strides(View<Int> sizes, View<Int> strides, View<Int> shape) {
  List<Int> result(shape.size(), 1);
  OW_CHECK(find_view_strides<Int>(sizes, strides, shape, result),
           "view size is not compatible with input tensor's size and stride (at least one "
           "dimension spans across two contiguous subspaces). Use .reshape(...) instead.");
  return result;
}

}  // namespace opweave::rule::over
