// Rules about sizes, over any kind of number: int64_t at run time, an unknown size in the
// generator. `Int` has the arithmetic operators; what else is needed of it is in Arithmetic<Int>,
// which each side specialises. `List` is a vector of Int.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opweave::rule::generic {

// floor_div(a, b); select(condition, a, b); common_size(a, b, dim), to which two sizes of dimension
// `dim` of the result broadcast.
template <class Int>
struct Arithmetic;

template <class List, class View>
List copy(const View& list, size_t begin, size_t end) {
  List out;
  for (size_t i = begin; i < end; ++i) out.push_back(list[i]);
  return out;
}

template <class List, class View>
List concat(const View& a, const View& b) {
  List out = copy<List>(a, 0, a.size());
  for (size_t i = 0; i < b.size(); ++i) out.push_back(b[i]);
  return out;
}

// The elements but for the one at `index`.
template <class List, class View>
List without(const View& list, size_t index) {
  List out = copy<List>(list, 0, index);
  for (size_t i = index + 1; i < list.size(); ++i) out.push_back(list[i]);
  return out;
}

template <class List, class View, class Int>
List replaced(const View& list, size_t index, Int value) {
  List out = copy<List>(list, 0, list.size());
  out[index] = value;
  return out;
}

template <class List, class View, class Int>
List inserted(const View& list, size_t index, Int value) {
  List out = copy<List>(list, 0, index);
  out.push_back(value);
  for (size_t i = index; i < list.size(); ++i) out.push_back(list[i]);
  return out;
}

// `is_reduced(i)`: whether dimension i goes, or becomes 1 when `keepdim`.
template <class List, class View, class IsReduced>
List reduced(const View& sizes, IsReduced is_reduced, bool keepdim) {
  List out;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!is_reduced(i)) {
      out.push_back(sizes[i]);
    } else if (keepdim) {
      out.push_back(1);
    }
  }
  return out;
}

// 1 in place of the last `count`.
template <class List, class View>
List with_last_ones(const View& sizes, size_t count) {
  List out = copy<List>(sizes, 0, sizes.size() - count);
  for (size_t i = 0; i < count; ++i) out.push_back(1);
  return out;
}

template <class Int, class View>
Int product(const View& list) {
  Int out = 1;
  for (size_t i = 0; i < list.size(); ++i) out = out * list[i];
  return out;
}

// Sizes are lined up from the last, which is also the first to be looked at: of several that do not
// go together the error names that.
template <class Int, class List, class View>
List broadcast(const View& a, const View& b) {
  const size_t rank = a.size() > b.size() ? a.size() : b.size();
  List out = copy<List>(a.size() < b.size() ? b : a, 0, rank);
  for (size_t from_end = 1; from_end <= a.size() && from_end <= b.size(); ++from_end) {
    out[rank - from_end] = Arithmetic<Int>::common_size(a[a.size() - from_end],
                                                        b[b.size() - from_end], rank - from_end);
  }
  return out;
}

// How many windows of a convolution or a pooling fit into a dimension. With `ceil_mode` the last
// one may hang over the end, as long as it begins inside the input or the padding before it.
template <class Int>
Int window(Int size, Int kernel, Int stride, Int padding, Int dilation, bool ceil_mode) {
  const Int room = size + Int(2) * padding - dilation * (kernel - Int(1)) - Int(1);
  using A = Arithmetic<Int>;
  if (!ceil_mode) return A::floor_div(room, stride) + Int(1);
  const Int count = A::floor_div(room + stride - Int(1), stride) + Int(1);
  return A::select((count - Int(1)) * stride >= size + padding, count - Int(1), count);
}

}  // namespace opweave::rule::generic
