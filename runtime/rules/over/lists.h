// Rule functions over any kind of number: int64_t in calls, SymInt where sizes are symbols. What
// they give and refuse says runtime/rules/functions.h; dimensions and indices are numbers always.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "rules/views.h"
#include "runtime/core/tensor/dim_vector.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave::rule::over {

// Lists of a kind of number: List owns its elements, View sees them.
template <class Int>
struct ListsOf;
template <>
struct ListsOf<int64_t> {
  using List = DimVector;
  using View = IntList;
};
template <class Int>
using List = typename ListsOf<Int>::List;
template <class Int>
using View = typename ListsOf<Int>::View;

template <class Int>
size_t checked_index(View<Int> list, int64_t index, size_t end) {
  OW_CHECK(index >= 0 && static_cast<size_t>(index) < end, "index ", index,
           " is out of range for the list ", list);
  return static_cast<size_t>(index);
}

// --- dimensions

// Of one dimension, or all of them.
template <class Int>
List<Int> reduced(View<Int> sizes, std::optional<int64_t> dim, bool keepdim) {
  const auto rank = static_cast<int64_t>(sizes.size());
  const auto wrapped = static_cast<size_t>(dim ? wrap_dim(*dim, rank) : 0);
  return generic::reduced<List<Int>>(
      sizes, [&](size_t i) { return !dim || i == wrapped; }, keepdim);
}

template <class Int>
Int size_along(View<Int> sizes, int64_t dim) {
  const int64_t wrapped = wrap_dim(dim, static_cast<int64_t>(sizes.size()));
  return sizes.empty() ? Int(1) : sizes[static_cast<size_t>(wrapped)];
}

template <class Int>
bool broadcasts_to(View<Int> from, View<Int> to) {
  if (from.size() > to.size()) return false;
  const size_t offset = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] != Int(1) && from[i] != to[offset + i]) return false;
  }
  return true;
}

template <class Int>
List<Int> expanded(View<Int> from, View<Int> to) {
  OW_CHECK(from.size() <= to.size(), "expand(", from, ", size=", to,
           "): the number of sizes provided (", to.size(),
           ") must be greater or equal to the number of dimensions in the tensor (", from.size(),
           ")");
  const size_t offset = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    OW_CHECK(from[i] == Int(1) || from[i] == to[offset + i], "The expanded size of the tensor (",
             to[offset + i], ") must match the existing size (", from[i],
             ") at non-singleton dimension ", offset + i, ".  Target sizes: ", to,
             ".  Tensor sizes: ", from);
  }
  return to;
}

template <class Int>
int64_t first_empty(View<Int> sizes, IntList dim) {
  for (size_t i = 0; i < dim.size(); ++i) {
    if (size_along<Int>(sizes, dim[i]) == Int(0)) return static_cast<int64_t>(i);
  }
  return -1;
}

inline int64_t repeated_dim(IntList dim, int64_t rank) {
  DimVector seen;
  for (int64_t d : dim) {
    const int64_t wrapped = wrap_dim(d, rank);
    if (std::find(seen.begin(), seen.end(), wrapped) != seen.end()) return wrapped;
    seen.push_back(wrapped);
  }
  return -1;
}

// --- elements

template <class Int>
List<Int> concat(View<Int> a, View<Int> b) {
  List<Int> out(a);
  for (const Int& element : b) out.push_back(element);
  return out;
}

template <class Int>
View<Int> first(View<Int> list, int64_t count) {
  return list.first(checked_index<Int>(list, count, list.size() + 1));
}

template <class Int>
View<Int> last(View<Int> list, int64_t count) {
  const size_t n = checked_index<Int>(list, count, list.size() + 1);
  return {list.data() + (list.size() - n), n};
}

template <class Int>
List<Int> without(View<Int> list, int64_t index) {
  return generic::without<List<Int>>(list, checked_index<Int>(list, index, list.size()));
}

template <class Int>
List<Int> without(View<Int> list, int64_t a, int64_t b) {
  return generic::without_two<List<Int>>(list, checked_index<Int>(list, a, list.size()),
                                         checked_index<Int>(list, b, list.size()));
}

template <class Int>
List<Int> replaced(View<Int> list, int64_t index, Int value) {
  return generic::replaced<List<Int>>(list, checked_index<Int>(list, index, list.size()), value);
}

template <class Int>
List<Int> inserted(View<Int> list, int64_t index, Int value) {
  List<Int> out(list);
  out.insert(checked_index<Int>(list, index, list.size() + 1), value);
  return out;
}

template <class Int>
List<Int> with_last_ones(View<Int> sizes, int64_t count) {
  return generic::with_last_ones<List<Int>>(sizes,
                                            checked_index<Int>(sizes, count, sizes.size() + 1));
}

template <class Int>
Int pick(View<Int> list, int64_t index) {
  OW_CHECK(!list.empty(), "an element of an empty list is asked for");
  return list.size() == 1 ? list[0] : list[checked_index<Int>(list, index, list.size())];
}

template <class Int>
Int smallest(View<Int> list) {
  OW_CHECK(!list.empty(), "the smallest element of an empty list is asked for");
  return *std::min_element(list.begin(), list.end());
}

// --- comparisons

template <class Int>
bool same(View<Int> a, View<Int> b, int64_t but) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (static_cast<int64_t>(i) != but && a[i] != b[i]) return false;
  }
  return true;
}

template <class Int>
bool fits_into(View<Int> a, View<Int> b, int64_t but) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (static_cast<int64_t>(i) != but && !(a[i] <= b[i])) return false;
  }
  return true;
}

template <class Int>
bool all_between(View<Int> list, Int low, Int high) {
  return std::all_of(list.begin(), list.end(),
                     [&](const Int& value) { return low <= value && value <= high; });
}

template <class Int>
bool below_either(View<Int> list, View<Int> a, View<Int> b) {
  const size_t n = std::max({list.size(), a.size(), b.size()});
  for (size_t i = 0; i < n; ++i) {
    const auto at = static_cast<int64_t>(i);
    const Int value = pick<Int>(list, at);
    if (!(value < pick<Int>(a, at)) && !(value < pick<Int>(b, at))) return false;
  }
  return true;
}

// --- for messages

// The elements with a text between them.
template <class Int>
std::string joined(View<Int> list, std::string_view between) {
  std::string text;
  for (const Int& value : list) {
    if (!text.empty()) text += between;
    append_to(text, value);
  }
  return text;
}

}  // namespace opweave::rule::over
