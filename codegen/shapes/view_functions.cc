// Rule functions of views: sizes, strides and offsets.
#include <algorithm>
#include <limits>

#include "codegen/shapes/arguments.h"
#include "codegen/shapes/arithmetic.h"
#include "codegen/shapes/effort.h"
#include "rules/views.h"

namespace opweave::codegen {
namespace {

namespace generic = rule::generic;

Size product(const Sizes& sizes) { return generic::product<Size>(sizes); }

// One -1 stands for what is left of the elements.
Sizes inferred(const Sizes& shape, const Size& numel, Conditions& conditions) {
  Sizes sizes = shape;
  const auto open = std::ranges::find(sizes, Size(-1));
  if (open == sizes.end()) {
    conditions.require(
        equal(product(sizes), numel),
        fmt::format("shape '{}' is invalid for input of size {}", text_of(shape), numel.text()));
    return sizes;
  }
  *open = 1;
  if (std::ranges::find(sizes, Size(-1)) != sizes.end())
    throw NoShape{"only one dimension can be inferred"};
  const Size rest = product(sizes);
  if (rest == Size(0))
    throw NoShape{fmt::format("the dimension -1 of shape '{}' is ambiguous", text_of(shape))};
  const Size left = Size::floor_div(numel, rest);
  conditions.require(
      equal(left * rest, numel),
      fmt::format("shape '{}' is invalid for input of size {}", text_of(shape), numel.text()));
  *open = left;
  return sizes;
}

bool is_empty(const Sizes& sizes) { return std::ranges::find(sizes, Size(0)) != sizes.end(); }

// Old dimensions that continue one another form a block; new dimensions have to fill whole blocks.
// Nothing where they do not.
std::optional<Sizes> view_strides(const Sizes& sizes, const Sizes& strides, const Sizes& shape) {
  expect_as_long(strides, sizes);
  if (is_empty(sizes)) return sizes == shape ? strides : contiguous_strides(shape);
  Sizes result(shape.size(), 1);
  if (sizes.empty()) return result;
  size_t next = shape.size();
  Size step = strides.back(), block = 1, filled = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    block = block * sizes[d];
    if (d > 0 && (sizes[d - 1] == Size(1) || strides[d - 1] == block * step)) continue;
    for (; next > 0 && (!(filled == block) || shape[next - 1] == Size(1)); --next) {
      result[next - 1] = filled * step;
      filled = filled * shape[next - 1];
    }
    // What is equal under a condition, which inferring has stated, is the last block.
    if (!(filled == block) && d > 0) return {};
    if (d > 0) step = strides[d - 1];
    block = filled = 1;
  }
  return result;
}

Sizes flattened(const Sizes& sizes, int64_t first, int64_t last) {
  if (sizes.empty()) return {1};
  const int64_t rank = std::ssize(sizes), begin = wrap(first, rank), end = wrap(last, rank);
  if (begin > end) throw NoShape{"flatten() has invalid args: start_dim cannot come after end_dim"};
  Sizes out = generic::copy<Sizes>(sizes, 0, begin);
  out.push_back(product(generic::copy<Sizes>(sizes, begin, end + 1)));
  for (int64_t d = end + 1; d < rank; ++d) out.push_back(sizes[d]);
  return out;
}

Sizes swapped(const Sizes& list, int64_t a, int64_t b) {
  const int64_t rank = std::ssize(list), x = wrap(a, rank), y = wrap(b, rank);
  return generic::swapped<Sizes>(list, x, y);
}

std::vector<int64_t> wrapped(const std::vector<int64_t>& dims, int64_t rank) {
  std::vector<int64_t> out;
  for (int64_t dim : dims) {
    out.push_back(wrap(dim, rank));
    if (std::ranges::count(out, out.back()) > 1)
      throw NoShape{fmt::format("dim {} appears more than once", out.back())};
  }
  return out;
}

// The order in which dimensions stand when those of `source` have gone to `destination`.
std::vector<int64_t> moved(int64_t rank, const std::vector<int64_t>& source,
                           const std::vector<int64_t>& destination) {
  const auto from = wrapped(source, rank), to = wrapped(destination, rank);
  if (rank < 0) throw NoShape{fmt::format("there are no {} dimensions", rank)};
  Effort::spend_elements(rank);
  if (from.size() != to.size()) throw NoShape{"as many destinations as sources are needed"};
  if (rank == 0) return {};  // whose dimension 0 can be named
  std::vector<int64_t> order(rank, -1), rest;
  for (size_t i = 0; i < from.size(); ++i) order[to[i]] = from[i];
  for (int64_t d = 0; d < rank; ++d) {
    if (std::ranges::count(from, d) == 0) rest.push_back(d);
  }
  auto next = rest.begin();
  for (int64_t& dim : order) {
    if (dim < 0) dim = *next++;
  }
  return order;
}

Sizes permuted(const Sizes& list, const std::vector<int64_t>& order) {
  for (int64_t index : order) index_in(list, index, list.size());
  return generic::permuted<Sizes>(list, order);
}

Sizes expanded_sizes(const Sizes& from, const Sizes& to, Conditions& conditions) {
  if (to.size() < from.size())
    throw NoShape{
        fmt::format("expand(): the number of sizes provided ({}) must be greater or "
                    "equal to the number of dimensions in the tensor ({})",
                    to.size(), from.size())};
  Sizes out = to;
  const size_t leading = to.size() - from.size();
  for (size_t d = leading; d < to.size(); ++d) {
    const Size& have = from[d - leading];
    if (to[d] == Size(-1)) out[d] = have;
    if (have == Size(1)) continue;
    conditions.require(equal(out[d], have),
                       fmt::format("The expanded size of the tensor ({}) must match the existing "
                                   "size ({}) at non-singleton dimension {}",
                                   to[d].text(), have.text(), d));
  }
  return out;
}

// Of `list` what belongs to dimensions whose size is not 1, or that are not among `dims`.
Sizes squeezed(const Sizes& list, const Sizes& sizes, const std::vector<int64_t>* dims) {
  expect_as_long(list, sizes);
  const auto named = dims ? wrapped(*dims, std::ssize(sizes)) : std::vector<int64_t>();
  return generic::squeezed<Size, Sizes>(list, sizes, [&](size_t d) {
    return !dims || std::ranges::count(named, static_cast<int64_t>(d)) != 0;
  });
}

Size index_along(const Size& index, const Size& size, Conditions& conditions) {
  const auto number = index.number();
  const bool from_end = number && *number < 0;
  const Size at = from_end ? index + size : index;
  conditions.require(both(less_or_equal(Size(0), at), less(at, size)),
                     fmt::format("index {} is out of range for a dimension of size {}",
                                 index.text(), size.text()));
  return at;
}

using A = const Arguments&;
using C = Conditions&;

Value list_of(const std::vector<int64_t>& numbers) {
  return {Sizes(numbers.begin(), numbers.end())};
}

}  // namespace

const Functions& view_functions() {
  static const Functions table = {
      {"contiguous_strides", [](A a, C) { return Value{contiguous_strides(a.sizes(0))}; }},
      {"inferred", [](A a, C c) { return Value{inferred(a.sizes(1), a.size(2), c)}; }},
      {"view_strides",
       [](A a, C) {
         const auto strides = view_strides(a.sizes(0), a.sizes(1), a.sizes(2));
         if (!strides)
           throw NoShape{"view size is not compatible with input tensor's size and stride"};
         return Value{*strides};
       }},
      {"reshaped_strides",
       [](A a, C) {
         const auto strides = view_strides(a.sizes(0), a.sizes(1), a.sizes(2));
         return Value{strides ? *strides : contiguous_strides(a.sizes(2))};
       }},
      {"flattened", [](A a, C) { return Value{flattened(a.sizes(0), a.number(1), a.number(2))}; }},
      {"swapped", [](A a, C) { return Value{swapped(a.sizes(0), a.number(1), a.number(2))}; }},
      {"ordered", [](A a, C) { return list_of(wrapped(a.numbers(0), a.number(1))); }},
      {"permuted", [](A a, C) { return Value{permuted(a.sizes(0), a.numbers(1))}; }},
      {"moved", [](A a, C) { return list_of(moved(a.number(0), a.numbers(1), a.numbers(2))); }},
      {"expanded_sizes", [](A a, C c) { return Value{expanded_sizes(a.sizes(0), a.sizes(1), c)}; }},
      {"expanded_strides",
       [](A a, C) {
         expect_as_long(a.sizes(1), a.sizes(0));
         expect_as_long(a.sizes(2), a.sizes(0));
         return Value{generic::expanded_strides<Size, Sizes>(a.sizes(0), a.sizes(1), a.sizes(2))};
       }},
      {"squeezed", [](A a, C) { return Value{squeezed(a.sizes(0), a.sizes(1), nullptr)}; }},
      {"squeezed.dims",
       [](A a, C) {
         const std::vector<int64_t> dims = a.numbers(2);
         return Value{squeezed(a.sizes(0), a.sizes(1), &dims)};
       }},
      {"index_along", [](A a, C c) { return Value{index_along(a.size(0), a.size(1), c)}; }},
      {"clamped",
       [](A a, C) { return Value{clamped(a.is_none(0) ? a.size(1) : a.size(0), a.size(2))}; }},
  };
  return table;
}

}  // namespace opweave::codegen
