// Rules about sizes, over any kind of number: int64_t at run time, an unknown size in the
// generator. `Int` has the arithmetic operators; what else is needed of it is in Arithmetic<Int>,
// which each side specialises. `List` is a vector of Int.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opweave::rule::generic {

// floor_div(a, b); at_least(a, b), and select(that, a, b); stride_product(stride, size);
// common_size(a, b, dim), to which two sizes of dimension `dim` of the result broadcast.
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
  return A::select(A::at_least((count - Int(1)) * stride, size + padding), count - Int(1), count);
}

// An element of a list in which one may stand for all.
template <class Int, class View>
Int nth(const View& list, size_t i) {
  return list[list.size() == 1 ? 0 : i];
}

// How many elements windows span with gaps of a dilation.
template <class Int, class List, class View>
List extents(const View& kernel, const View& dilation) {
  List out;
  for (size_t i = 0; i < kernel.size(); ++i) {
    const Int steps = Int(kernel[i]) - Int(1);
    out.push_back(Int(nth<Int>(dilation, i)) * steps + Int(1));
  }
  return out;
}

template <class Int, class List, class View>
List padded(const View& sizes, const View& padding) {
  List out;
  for (size_t i = 0; i < sizes.size(); ++i) {
    out.push_back(Int(sizes[i]) + Int(2) * nth<Int>(padding, i));
  }
  return out;
}

// Of an input [N, channels, sizes...] and a weight [channels, channels of a group, sizes...].
template <class Int, class List, class View>
List convolved(const View& input, const View& weight, const View& stride, const View& padding,
               const View& dilation) {
  List out;
  out.push_back(input[0]);
  out.push_back(weight[0]);
  for (size_t i = 0; i + 2 < input.size(); ++i) {
    out.push_back(window<Int>(input[i + 2], weight[i + 2], nth<Int>(stride, i),
                              nth<Int>(padding, i), nth<Int>(dilation, i), false));
  }
  return out;
}

// A transposed convolution undoes what a convolution does to sizes; of those that it could come
// from, `output_padding` chooses one.
template <class Int, class List, class View>
List transposed_convolved(const View& input, const View& weight, const View& stride,
                          const View& padding, const View& output_padding, const View& dilation,
                          Int groups) {
  List out;
  out.push_back(input[0]);
  out.push_back(Int(weight[1]) * groups);
  for (size_t i = 0; i + 2 < input.size(); ++i) {
    const Int reach = (Int(input[i + 2]) - Int(1)) * nth<Int>(stride, i);
    const Int extent = nth<Int>(dilation, i) * (Int(weight[i + 2]) - Int(1)) + Int(1);
    out.push_back(reach + extent + nth<Int>(output_padding, i) - Int(2) * nth<Int>(padding, i));
  }
  return out;
}

}  // namespace opweave::rule::generic
