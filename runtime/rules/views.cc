// What views look like.
#include "runtime/rules/views.h"

#include "rules/views.h"
#include "runtime/rules/arithmetic.h"

namespace opweave::rule {
namespace {

// The position of the -1, if there is one.
std::optional<size_t> find_inferred(IntList shape) {
  std::optional<size_t> inferred;
  for (size_t i = 0; i < shape.size(); ++i) {
    OW_CHECK(shape[i] >= -1, "invalid shape dimension ", shape[i]);
    if (shape[i] != -1) continue;
    OW_CHECK(!inferred, "only one dimension can be inferred");
    inferred = i;
  }
  return inferred;
}

// `have`: the old size of dimension d, 1 where it is new.
int64_t expanded_size(IntList from, IntList to, size_t d, bool leading, int64_t have) {
  OW_CHECK(to[d] >= -1 && !(leading && to[d] == -1), "The expanded size of the tensor (", to[d],
           ") isn't allowed in a ", leading ? "leading, non-existing" : "existing", " dimension ",
           d);
  OW_CHECK(to[d] == -1 || have == 1 || have == to[d], "The expanded size of the tensor (", to[d],
           ") must match the existing size (", have, ") at non-singleton dimension ", d,
           ".  Target sizes: ", to, ".  Tensor sizes: ", from);
  return to[d] == -1 ? have : to[d];
}

void check_one_each(IntList list, IntList sizes) {
  OW_CHECK(list.size() == sizes.size(), "the list ", list, " has another length than the sizes ",
           sizes);
}

}  // namespace

[[gnu::hot]] DimVector swapped(IntList list, int64_t dim0, int64_t dim1) {
  const auto rank = static_cast<int64_t>(list.size());
  const auto a = static_cast<size_t>(wrap_dim(dim0, rank));
  const auto b = static_cast<size_t>(wrap_dim(dim1, rank));
  return generic::swapped<DimVector>(list, a, b);
}

[[gnu::hot]] DimVector permuted(IntList list, IntList order) {
  for (const int64_t d : order) {
    OW_CHECK(d >= 0 && static_cast<size_t>(d) < list.size(), "index ", d,
             " is out of range for the list ", list);
  }
  return generic::permuted<DimVector>(list, order);
}

DimVector squeezed(IntList list, IntList sizes) {
  check_one_each(list, sizes);
  return generic::squeezed<int64_t, DimVector>(list, sizes, [](size_t) { return true; });
}

[[gnu::hot]] DimVector squeezed(IntList list, IntList sizes, IntList dim) {
  check_one_each(list, sizes);
  const DimVector named = wrap_dims("squeeze", dim, static_cast<int64_t>(sizes.size()));
  return generic::squeezed<int64_t, DimVector>(list, sizes, [&](size_t d) {
    return std::find(named.begin(), named.end(), static_cast<int64_t>(d)) != named.end();
  });
}

[[gnu::hot]] DimVector inferred(std::string_view op, IntList shape, int64_t numel) {
  const std::optional<size_t> open = find_inferred(shape);
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
  OW_CHECK(to.size() >= from.size(), "expand(): the number of sizes provided (", to.size(),
           ") must be greater or equal to the number of dimensions in the tensor (", from.size(),
           ")");
  DimVector sizes(to.size());
  const size_t leading = to.size() - from.size();
  for (size_t d = 0; d < to.size(); ++d) {
    const bool is_new = d < leading;
    sizes[d] = expanded_size(from, to, d, is_new, is_new ? 1 : from[d - leading]);
  }
  return sizes;
}

[[gnu::hot]] DimVector expanded_strides(IntList from, IntList strides, IntList to) {
  check_one_each(strides, from);
  OW_CHECK(to.size() >= from.size(), "the sizes ", from, " do not expand to ", to);
  return generic::expanded_strides<int64_t, DimVector>(from, strides, to);
}

// Old dimensions that continue one another form a block; new dimensions have to fill whole blocks.
// Whether they do; `result` is as long as the shape.
static bool find_view_strides(IntList sizes, IntList strides, IntList shape, DimVector& result) {
  if (sizes.empty()) return true;
  size_t next = shape.size();
  int64_t step = strides.back(), block = 1, filled = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    block *= sizes[d];
    if (d > 0 && (sizes[d - 1] == 1 || strides[d - 1] == stride_product(step, block))) continue;
    for (; next > 0 && (filled < block || shape[next - 1] == 1); --next) {
      result[next - 1] = stride_product(step, filled);
      filled *= shape[next - 1];
    }
    if (filled != block) return false;
    if (d > 0) step = strides[d - 1];
    block = filled = 1;
  }
  return true;
}

[[gnu::hot]] DimVector view_strides(IntList sizes, IntList strides, IntList shape) {
  check_one_each(strides, sizes);
  if (generic::product<int64_t>(sizes) == 0) {
    return same_sizes(sizes, shape) ? DimVector(strides) : contiguous_strides(shape);
  }
  DimVector result(shape.size(), 1);
  OW_CHECK(find_view_strides(sizes, strides, shape, result),
           "view size is not compatible with input tensor's size and stride (at least one "
           "dimension spans across two contiguous subspaces). Use .reshape(...) instead.");
  return result;
}

bool has_view_strides(IntList sizes, IntList strides, IntList shape) {
  DimVector result(shape.size(), 1);
  return generic::product<int64_t>(sizes) == 0 || find_view_strides(sizes, strides, shape, result);
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
