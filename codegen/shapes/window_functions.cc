// Rule functions of convolutions and poolings.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "codegen/shapes/arguments.h"
#include "codegen/shapes/arithmetic.h"

namespace opweave::codegen {
namespace {

namespace generic = rule::generic;

Condition fits_into(const Sizes& a, const Sizes& b, int64_t but = -1) {
  Condition all = Condition::of(a.size() == b.size());
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (static_cast<int64_t>(i) != but) all = both(all, less_or_equal(a[i], b[i]));
  }
  return all;
}

Condition below_either(const Sizes& list, const Sizes& a, const Sizes& b) {
  Condition all;
  const size_t n = std::max({list.size(), a.size(), b.size()});
  const auto at = [](const Sizes& sizes, size_t i) {
    return sizes.size() == 1 ? sizes[0]
                             : sizes[index_in(sizes, static_cast<int64_t>(i), sizes.size())];
  };
  for (size_t i = 0; i < n; ++i)
    all = both(all, either(less(at(list, i), at(a, i)), less(at(list, i), at(b, i))));
  return all;
}

Condition all_between(const Sizes& list, const Size& low, const Size& high) {
  Condition all;
  for (const Size& size : list) {
    all = both(all, both(less_or_equal(low, size), less_or_equal(size, high)));
  }
  return all;
}

// What a rule hands to functions that have a number for each dimension.
void expect_one_or_all(const Sizes& list, int64_t rank) {
  if (std::ssize(list) != 1 && std::ssize(list) < rank)
    throw NoShape{
        fmt::format("the list {} has no number for each of {} dimensions", text_of(list), rank)};
}

// An input, a weight, and lists for the dimensions behind the first two.
void expect_convolved(const Arguments& a, std::initializer_list<size_t> lists) {
  if (a.rank(0) < 2)
    throw NoShape{fmt::format("{} is no input with channels", text_of(a.sizes(0)))};
  expect_as_long(a.sizes(1), a.sizes(0));
  for (size_t i : lists) expect_one_or_all(a.sizes(i), a.rank(0) - 2);
}

using A = const Arguments&;
using C = Conditions&;

}  // namespace

const Functions& window_functions() {
  static const Functions table = {
      {"extents",
       [](A a, C) {
         expect_one_or_all(a.sizes(1), a.rank(0));
         return Value{generic::extents<Size, Sizes>(a.sizes(0), a.sizes(1))};
       }},
      {"padded",
       [](A a, C) {
         expect_one_or_all(a.sizes(1), a.rank(0));
         return Value{generic::padded<Size, Sizes>(a.sizes(0), a.sizes(1))};
       }},
      {"convolved",
       [](A a, C) {
         expect_convolved(a, {2, 3, 4});
         return Value{generic::convolved<Size, Sizes>(a.sizes(0), a.sizes(1), a.sizes(2),
                                                      a.sizes(3), a.sizes(4))};
       }},
      {"transposed_convolved",
       [](A a, C) {
         expect_convolved(a, {2, 3, 4, 5});
         return Value{generic::transposed_convolved<Size, Sizes>(
             a.sizes(0), a.sizes(1), a.sizes(2), a.sizes(3), a.sizes(4), a.sizes(5), a.size(6))};
       }},
      {"fits_into", [](A a, C) { return Value{fits_into(a.sizes(0), a.sizes(1))}; }},
      {"fits_into.but",
       [](A a, C) { return Value{fits_into(a.sizes(0), a.sizes(1), a.number(2))}; }},
      {"below_either",
       [](A a, C) { return Value{below_either(a.sizes(0), a.sizes(1), a.sizes(2))}; }},
      {"all_between", [](A a, C) { return Value{all_between(a.sizes(0), a.size(1), a.size(2))}; }},
  };
  return table;
}

}  // namespace opweave::codegen
