// The words of printed rules where sizes may be symbols: types, and what rules can call (see
// codegen/rules/functions.def), under the names that they have for numbers. The text of a rule is
// compiled in opweave::rules, and once more in opweave::symbols::rules.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/core/random/generator.h"
#include "runtime/rules/functions.h"
#include "runtime/rules/list_element.h"
#include "runtime/rules/over/views.h"
#include "runtime/rules/over/windows.h"
#include "runtime/rules/symbolic/sym_tensor.h"

namespace opweave::symbols {

using Int = symbolic::SymInt;
using IntList = symbolic::SymIntList;
using DimVector = symbolic::SymDims;
using Tensor = symbolic::SymTensor;
using TensorList = symbolic::SymTensorList;
using ResultSpec = symbolic::SymResult;

// A number that is compared with elements is none that stands for others.
class Scalar : public opweave::Scalar {
 public:
  using opweave::Scalar::Scalar;
  Scalar(const opweave::Scalar& number) : opweave::Scalar(number) {}  // NOLINT
  Scalar(const Int& number) : opweave::Scalar(number.guard_int()) {}  // NOLINT
};

// What could overflow does it in the hints, which are numbers, too.
inline Int checked_add(const Int& a, const Int& b, std::string_view = {}) { return a + b; }
inline Int checked_sub(const Int& a, const Int& b, std::string_view = {}) { return a - b; }
inline Int checked_mul(const Int& a, const Int& b, std::string_view = {}) { return a * b; }

template <class List>
decltype(auto) list_element(const List& list, const Int& index, std::string_view op,
                            std::string_view name) {
  return opweave::list_element(list, index.guard_int(), op, name);
}

namespace rule {

namespace over = opweave::rule::over;

inline int64_t wrap(const Int& dim, const Int& rank) {
  return wrap_dim(dim.guard_int(), rank.guard_int());
}
DimVector reduced(IntList sizes, const std::optional<IntList>& dim, bool keepdim);
DimVector reduced(IntList sizes, const std::optional<Int>& dim, bool keepdim);
inline DimVector with_dim(IntList sizes, const Int& dim) {
  wrap(dim, sizes.size());
  return sizes;
}
inline Int size_along(IntList sizes, const Int& dim) {
  return over::size_along<Int>(sizes, dim.guard_int());
}
inline DimVector broadcast(IntList a, IntList b) {
  return opweave::rule::generic::broadcast<Int, DimVector>(a, b);
}
inline bool broadcasts_to(IntList from, IntList to) { return over::broadcasts_to<Int>(from, to); }
inline DimVector expanded(IntList from, IntList to) { return over::expanded<Int>(from, to); }
inline bool same(IntList a, IntList b) { return over::same<Int>(a, b, -1); }
inline bool same(IntList a, IntList b, const Int& but) {
  return over::same<Int>(a, b, but.guard_int());
}

inline DimVector concat(IntList a, IntList b) { return over::concat<Int>(a, b); }
inline DimVector first(IntList list, const Int& count) {
  return over::first<Int>(list, count.guard_int());
}
inline DimVector last(IntList list, const Int& count) {
  return over::last<Int>(list, count.guard_int());
}
inline DimVector without(IntList list, const Int& index) {
  return over::without<Int>(list, index.guard_int());
}
inline DimVector without(IntList list, const Int& a, const Int& b) {
  return over::without<Int>(list, a.guard_int(), b.guard_int());
}
inline DimVector replaced(IntList list, const Int& index, const Int& value) {
  return over::replaced<Int>(list, index.guard_int(), value);
}
inline DimVector inserted(IntList list, const Int& index, const Int& value) {
  return over::inserted<Int>(list, index.guard_int(), value);
}
inline DimVector with_last_ones(IntList sizes, const Int& count) {
  return over::with_last_ones<Int>(sizes, count.guard_int());
}
inline bool ends_with(IntList list, IntList end) {
  return list.size() >= end.size() && same(list.last(end.size()), end);
}
inline Int product(IntList list) { return opweave::rule::generic::product<Int>(list); }
inline Int pick(IntList list, const Int& index) { return over::pick<Int>(list, index.guard_int()); }
inline int64_t first_empty(IntList sizes, IntList dim) {
  return over::first_empty<Int>(sizes, symbolic::guard_ints(dim));
}
inline Int smallest(IntList list) { return over::smallest<Int>(list); }

// A size that says which of the two it is, where the names leave that open.
Int min(const Int& a, const Int& b);
Int max(const Int& a, const Int& b);
inline Int floor_div(const Int& a, const Int& b) { return Int::floor_div(a, b); }
inline Int mod(const Int& a, const Int& b) { return a - floor_div(a, b) * b; }
inline bool fits_into(IntList a, IntList b) { return over::fits_into<Int>(a, b, -1); }
inline bool fits_into(IntList a, IntList b, const Int& but) {
  return over::fits_into<Int>(a, b, but.guard_int());
}
inline bool all_between(IntList list, const Int& low, const Int& high) {
  return over::all_between<Int>(list, low, high);
}
inline bool below_either(IntList list, IntList a, IntList b) {
  return over::below_either<Int>(list, a, b);
}
inline DimVector at_least_1d(IntList sizes) {
  return sizes.empty() ? DimVector{1} : DimVector(sizes);
}
inline int64_t repeated_dim(IntList dim, const Int& rank) {
  return over::repeated_dim(symbolic::guard_ints(dim), rank.guard_int());
}
inline std::string crossed(IntList list) { return over::joined<Int>(list, " x "); }
inline std::string joined(IntList list) { return over::joined<Int>(list, ", "); }

inline Int window(const Int& size, const Int& kernel, const Int& stride, const Int& padding,
                  const Int& dilation, bool ceil_mode) {
  return opweave::rule::generic::window<Int>(size, kernel, stride, padding, dilation, ceil_mode);
}
inline DimVector extents(IntList kernel, IntList dilation) {
  return over::extents<Int, Int>(kernel, dilation);
}
inline DimVector padded(IntList sizes, IntList padding) {
  return over::padded<Int, Int>(sizes, padding);
}
inline DimVector convolved(IntList input, IntList weight, IntList stride, IntList padding,
                           IntList dilation) {
  return over::convolved<Int, Int>(input, weight, stride, padding, dilation);
}
inline DimVector transposed_convolved(IntList input, IntList weight, IntList stride,
                                      IntList padding, IntList output_padding, IntList dilation,
                                      const Int& groups) {
  return over::transposed_convolved<Int, Int>(input, weight, stride, padding, output_padding,
                                              dilation, groups);
}

// --- views
inline DimVector swapped(IntList list, const Int& a, const Int& b) {
  return over::swapped<Int>(list, a.guard_int(), b.guard_int());
}
inline DimVector permuted(IntList list, IntList order) {
  return over::permuted<Int>(list, symbolic::guard_ints(order));
}
inline DimVector squeezed(IntList list, IntList sizes) { return over::squeezed<Int>(list, sizes); }
inline DimVector squeezed(IntList list, IntList sizes, IntList dim) {
  return over::squeezed<Int>(list, sizes, symbolic::guard_ints(dim));
}
DimVector inferred(std::string_view op, IntList shape, const Int& numel);
inline DimVector expanded_sizes(IntList from, IntList to) {
  return over::expanded_sizes<Int>(from, to);
}
inline DimVector expanded_strides(IntList from, IntList strides, IntList to) {
  return over::expanded_strides<Int>(from, strides, to);
}
DimVector view_strides(IntList sizes, IntList strides, IntList shape);
DimVector ordered(IntList dims, const Int& rank);
Int index_along(const Int& index, const Int& size);
Int clamped(const std::optional<Int>& index, const Int& otherwise, const Int& size);

// --- tensors. RuntimeError where the layout of one that is not contiguous would have to be known.
DimVector strides_like(IntList sizes, const Tensor& tensor);
DimVector dense_strides(const Tensor& tensor);
inline bool is_contiguous(const Tensor& tensor) { return tensor.is_contiguous(); }
DimVector cat_sizes(TensorList tensors, const Int& dim);
DimVector cat_strides(TensorList tensors, IntList sizes);
ScalarType common_dtype(TensorList tensors);

inline int64_t or_else(const std::optional<int64_t>& value, int64_t otherwise) {
  return value.value_or(otherwise);
}
inline Int or_else(const std::optional<Int>& value, const Int& otherwise) {
  return value.value_or(otherwise);
}
inline ScalarType or_else(std::optional<ScalarType> value, ScalarType otherwise) {
  return value.value_or(otherwise);
}

// --- dtypes, devices and numbers are no symbols
using opweave::rule::accumulated;
using opweave::rule::cpp_name;
using opweave::rule::fits;
using opweave::rule::inexact;
using opweave::rule::is_common;
using opweave::rule::is_common_floating;
using opweave::rule::is_floating;
using opweave::rule::is_integral;
using opweave::rule::is_meta;
using opweave::rule::largest_counted;
using opweave::rule::least_counted;
using opweave::rule::logical;
using opweave::rule::number_name;
using opweave::rule::promoted;
using opweave::rule::type_name;
using opweave::rule::widened;

}  // namespace rule

}  // namespace opweave::symbols
