// Rules about the sizes and strides of views, over any kind of number as in sizes.h. Dimensions are
// counted from the front.
#pragma once

#include <utility>

#include "rules/sizes.h"

namespace opweave::rule::generic {

template <class List, class View>
List swapped(const View& list, size_t a, size_t b) {
  List out(list);
  if (a != b) std::swap(out[a], out[b]);  // of no dimensions both are the one that there is not
  return out;
}

// The elements but for those at `a` and `b`.
template <class List, class View>
List without_two(const View& list, size_t a, size_t b) {
  List out;
  for (size_t i = 0; i < list.size(); ++i) {
    if (i != a && i != b) out.push_back(list[i]);
  }
  return out;
}

template <class List, class View, class Order>
List permuted(const View& list, const Order& order) {
  List out;
  for (size_t i = 0; i < order.size(); ++i) out.push_back(list[static_cast<size_t>(order[i])]);
  return out;
}

// Of `list` what belongs to dimensions whose size is not 1, or of which `may_go(d)` says no.
template <class Int, class List, class View, class MayGo>
List squeezed(const View& list, const View& sizes, MayGo may_go) {
  List out;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (!may_go(d) || !(Int(sizes[d]) == Int(1))) out.push_back(list[d]);
  }
  return out;
}

// The strides of new dimensions of size 1, which step over all that is behind them.
template <class Int, class List, class View>
[[gnu::noinline]] void step_over(List& strides, const View& to, size_t leading) {
  for (size_t d = leading; d-- > 0;) {
    if (Int(to[d]) == Int(1))
      strides[d] = Arithmetic<Int>::stride_product(strides[d + 1], to[d + 1]);
  }
}

// Sizes are lined up from the last; what repeats has the stride 0. A new dimension of size 1
// repeats nothing.
template <class Int, class List, class View>
List expanded_strides(const View& from, const View& strides, const View& to) {
  List out;
  const size_t leading = to.size() - from.size();
  for (size_t d = 0; d < leading; ++d) out.push_back(0);
  for (size_t d = leading; d < to.size(); ++d) {
    const Int have = from[d - leading];
    const bool kept = have == Int(to[d]) || !(have == Int(1));
    out.push_back(kept ? Int(strides[d - leading]) : Int(0));
  }
  if (leading > 0 && from.size() > 0) step_over<Int>(out, to, leading);
  return out;
}

}  // namespace opweave::rule::generic
