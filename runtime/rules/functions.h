// What rules of operators can call: see codegen/rules/functions.def. Lists are sizes or dimensions;
// errors are those of PyTorch.
#pragma once

#include <optional>
#include <string>

#include "runtime/core/tensor/tensor.h"
#include "runtime/core/tensor/type_promotion.h"
#include "runtime/rules/cat.h"
#include "runtime/rules/index.h"
#include "runtime/rules/lists.h"
#include "runtime/rules/number.h"
#include "runtime/rules/views.h"
#include "runtime/rules/widened.h"
#include "runtime/rules/windows.h"

namespace opweave::rule {

inline int64_t wrap(int64_t dim, int64_t rank) { return wrap_dim(dim, rank); }

// By reference: a list that has just been put together is slow to copy.
DimVector reduced(IntList sizes, const std::optional<IntList>& dim, bool keepdim);
DimVector reduced(IntList sizes, const std::optional<int64_t>& dim, bool keepdim);
inline DimVector with_dim(IntList sizes, int64_t dim) {
  wrap(dim, static_cast<int64_t>(sizes.size()));
  return sizes;
}
inline int64_t size_along(IntList sizes, int64_t dim) {
  const int64_t wrapped = wrap(dim, static_cast<int64_t>(sizes.size()));
  return sizes.empty() ? 1 : sizes[static_cast<size_t>(wrapped)];
}
DimVector broadcast(IntList a, IntList b);
bool broadcasts_to(IntList from, IntList to);
DimVector expanded(IntList from, IntList to);
inline bool same(IntList a, IntList b) { return same_sizes(a, b); }
bool same(IntList a, IntList b, int64_t but);

DimVector concat(IntList a, IntList b);
// RuntimeError where there are fewer elements. Of a list that stays, a part of it.
IntList first(IntList list, int64_t count);
DimVector first(DimVector&& list, int64_t count);
IntList last(IntList list, int64_t count);
DimVector last(DimVector&& list, int64_t count);
DimVector without(IntList list, int64_t index);
DimVector without(IntList list, int64_t a, int64_t b);
DimVector replaced(IntList list, int64_t index, int64_t value);
DimVector inserted(IntList list, int64_t index, int64_t value);
// RuntimeError where there are fewer elements.
DimVector with_last_ones(IntList sizes, int64_t count);
inline bool ends_with(IntList list, IntList end) {
  return list.size() >= end.size() && same(list.last(end.size()), end);
}
// RuntimeError where the product does not fit.
int64_t product(IntList list);
// RuntimeError for an empty list and for one that is too short.
int64_t pick(IntList list, int64_t index);
int64_t first_empty(IntList sizes, IntList dim);
int64_t smallest(IntList list);

inline int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t max(int64_t a, int64_t b) { return a < b ? b : a; }
// RuntimeError for a divisor of 0.
int64_t floor_div(int64_t a, int64_t b);
int64_t mod(int64_t a, int64_t b);
bool fits_into(IntList a, IntList b);
bool fits_into(IntList a, IntList b, int64_t but);
bool all_between(IntList list, int64_t low, int64_t high);
bool below_either(IntList list, IntList a, IntList b);
IntList at_least_1d(IntList sizes);
DimVector at_least_1d(DimVector&& sizes);
int64_t repeated_dim(IntList dim, int64_t rank);
std::string crossed(IntList list);
// None where they are contiguous.
DimVector strides_like(IntList sizes, const Tensor& tensor);
DimVector dense_strides(const Tensor& tensor);
inline bool is_contiguous(const Tensor& tensor) { return tensor.is_contiguous(); }
inline bool is_meta(Device device) { return device.is_meta(); }
inline bool fits(const Scalar& value, ScalarType dtype) { return opweave::fits(value, dtype); }
inline std::string_view number_name(ScalarType dtype) { return opweave::number_name(dtype); }
inline int64_t least_counted(ScalarType dtype) { return opweave::least_counted(dtype); }
inline int64_t largest_counted(ScalarType dtype) { return opweave::largest_counted(dtype); }

inline ScalarType or_else(std::optional<ScalarType> value, ScalarType otherwise) {
  return value.value_or(otherwise);
}
inline int64_t or_else(std::optional<int64_t> value, int64_t otherwise) {
  return value.value_or(otherwise);
}
inline ScalarType accumulated(ScalarType dtype, std::optional<ScalarType> asked) {
  if (asked) return *asked;
  return opweave::is_integral(dtype, /*include_bool=*/true) ? kLong : dtype;
}
// What functions of real numbers are computed in.
inline ScalarType inexact(ScalarType dtype) {
  return opweave::is_integral(dtype, /*include_bool=*/true) ? default_dtype() : dtype;
}
inline ScalarType logical(ScalarType dtype) { return dtype == kByte ? kByte : kBool; }
inline ScalarType promoted(ScalarType a, ScalarType b) { return promote_types(a, b); }
inline bool is_floating(ScalarType dtype) { return opweave::is_floating(dtype); }
inline bool is_integral(ScalarType dtype) { return opweave::is_integral(dtype, false); }
inline bool is_common(ScalarType dtype) { return contains(dtypes::kCommon, dtype); }
inline bool is_common_floating(ScalarType dtype) {
  return contains(dtypes::kCommonFloating, dtype);
}
inline std::string_view type_name(ScalarType dtype) { return scalar_type_name(dtype); }
// "float", "long int", "Half": as C++ spells the type.
inline std::string_view cpp_name(ScalarType dtype) { return dtype_info(dtype).spelled; }
std::string joined(IntList list);

}  // namespace opweave::rule
