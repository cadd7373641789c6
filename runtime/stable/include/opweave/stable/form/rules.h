// What rules of operators say in C++: conditions of a call, and what its results look like. The
// functions that rules can call stand here but for those that ask a tensor for more than its sizes
// and dtype (codegen/rules/functions.def lists them); errors are those of the core.
#ifndef OPWEAVE_STABLE_FORM_RULES_H_
#define OPWEAVE_STABLE_FORM_RULES_H_

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "dtypes/promotion.h"
#include "opweave/stable/form/functions.h"
#include "runtime/rules/arithmetic.h"

namespace opweave {
inline namespace stable_form {

// What one result looks like before the kernel has run.
class ResultSpec {
 public:
  void set(IntList sizes, ScalarType dtype, Device device) {
    sizes_.assign(sizes);
    dtype_ = dtype;
    device_ = device;
  }
  // Of a dense layout; contiguous where there are none.
  void set_strides(IntList strides) { strides_.assign(strides); }
  // A new tensor whose elements are not set; undefined where there is no such result.
  Tensor make() const {
    if (dtype_ == ScalarType::kUndefined) return Tensor();
    return make_tensor_strided(sizes_, strides_, dtype_, device_);
  }

 private:
  DimVector sizes_, strides_;
  ScalarType dtype_ = ScalarType::kUndefined;
  Device device_;
};

// RuntimeError unless the result that a kernel has filled is the one that was `made` for it.
inline void check_filled(std::string_view op, const Tensor& result, OwTensor made) {
  OW_CHECK(
      result.handle() == made, op,
      "(): the kernel put another tensor in the place of its result, which its rule has made: it "
      "has to be written, as by copy_()");
}

}  // namespace stable_form

namespace rule {

inline size_t checked_index(IntList list, int64_t index, size_t end) {
  OW_CHECK(index >= 0 && static_cast<size_t>(index) < end, "index ", index,
           " is out of range for the list ", list);
  return static_cast<size_t>(index);
}

inline int64_t wrap(int64_t dim, int64_t rank) { return wrap_dim(dim, rank); }
inline DimVector with_dim(IntList sizes, int64_t dim) {
  wrap(dim, static_cast<int64_t>(sizes.size()));
  return sizes;
}
inline int64_t size_along(IntList sizes, int64_t dim) {
  const int64_t wrapped = wrap(dim, static_cast<int64_t>(sizes.size()));
  return sizes.empty() ? 1 : sizes[static_cast<size_t>(wrapped)];
}
inline DimVector reduced(IntList sizes, const std::optional<IntList>& dims, bool keepdim) {
  constexpr size_t kMost = 64;
  OW_CHECK(sizes.size() <= kMost, "only tensors with up to ", kMost, " dims are supported");
  uint64_t mask = !dims || dims->empty() ? ~uint64_t{0} : 0;
  for (size_t i = 0; dims && i < dims->size(); ++i) {
    const int64_t at = wrap((*dims)[i], static_cast<int64_t>(sizes.size()));
    OW_CHECK((mask >> at & 1) == 0, "dim ", at, " appears multiple times in the list of dims");
    mask |= uint64_t{1} << at;
  }
  return generic::reduced<DimVector>(
      sizes, [&](size_t d) { return (mask >> d & 1) != 0; }, keepdim);
}
inline DimVector reduced(IntList sizes, const std::optional<int64_t>& dim, bool keepdim) {
  return reduced(sizes, dim ? std::optional(IntList(&*dim, 1)) : std::nullopt, keepdim);
}
inline DimVector broadcast(IntList a, IntList b) {
  return generic::broadcast<int64_t, DimVector>(a, b);
}
inline bool same(IntList a, IntList b) { return same_sizes(a, b); }
inline DimVector concat(IntList a, IntList b) { return generic::concat<DimVector>(a, b); }
inline DimVector first(IntList list, int64_t count) {
  return IntList(list.first(checked_index(list, count, list.size() + 1)));
}
inline DimVector last(IntList list, int64_t count) {
  return IntList(list.last(checked_index(list, count, list.size() + 1)));
}
inline DimVector without(IntList list, int64_t index) {
  return generic::without<DimVector>(list, checked_index(list, index, list.size()));
}
inline DimVector replaced(IntList list, int64_t index, int64_t value) {
  return generic::replaced<DimVector>(list, checked_index(list, index, list.size()), value);
}
inline DimVector inserted(IntList list, int64_t index, int64_t value) {
  return generic::inserted<DimVector>(list, checked_index(list, index, list.size() + 1), value);
}
inline DimVector with_last_ones(IntList sizes, int64_t count) {
  return generic::with_last_ones<DimVector>(sizes, checked_index(sizes, count, sizes.size() + 1));
}
inline bool ends_with(IntList list, IntList end) {
  return list.size() >= end.size() && same(list.last(end.size()), end);
}
// What it says of lists that are no sizes is what the core's checked_numel() says.
inline int64_t product(IntList list) {
  int64_t of_others = 1;
  bool none = false;
  for (const int64_t item : list) {
    OW_CHECK(item >= 0, "Trying to create tensor with negative dimension ", item, ": ", list);
    none |= item == 0;
    OW_CHECK_SIZE(item == 0 || !__builtin_mul_overflow(of_others, item, &of_others),
                  "numel: the product of sizes ", list, " overflows int64");
  }
  return none ? 0 : of_others;
}
inline int64_t smallest(IntList list) {
  OW_CHECK(!list.empty(), "the smallest element of an empty list is asked for");
  return *std::min_element(list.begin(), list.end());
}
inline int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t max(int64_t a, int64_t b) { return a < b ? b : a; }
inline int64_t floor_div(int64_t a, int64_t b) {
  return generic::Arithmetic<int64_t>::floor_div(a, b);
}
inline int64_t mod(int64_t a, int64_t b) { return b == -1 ? 0 : a - floor_div(a, b) * b; }
inline int64_t window(int64_t size, int64_t kernel, int64_t stride, int64_t padding,
                      int64_t dilation, bool ceil_mode) {
  return generic::window<int64_t>(size, kernel, stride, padding, dilation, ceil_mode);
}
inline bool all_between(IntList list, int64_t low, int64_t high) {
  return std::all_of(list.begin(), list.end(),
                     [=](int64_t value) { return value >= low && value <= high; });
}

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
inline ScalarType logical(ScalarType dtype) { return dtype == kByte ? kByte : kBool; }
inline ScalarType widened(ScalarType dtype) { return is_reduced_float(dtype) ? kFloat : dtype; }
inline ScalarType promoted(ScalarType a, ScalarType b) {
  const Promoted both = opweave::promoted(a, b);
  OW_CHECK(both.unsupported.empty(), "Promotion for ", both.unsupported,
           " is not supported, attempted to promote ", scalar_type_name(a), " and ",
           scalar_type_name(b));
  return both.type;
}
inline bool is_floating(ScalarType dtype) { return opweave::is_floating(dtype); }
inline bool is_integral(ScalarType dtype) { return opweave::is_integral(dtype, false); }
inline bool is_common(ScalarType dtype) { return contains(dtypes::kCommon, dtype); }
inline bool is_common_floating(ScalarType dtype) {
  return contains(dtypes::kCommonFloating, dtype);
}
inline bool is_meta(Device device) { return device.is_meta(); }
inline std::string_view type_name(ScalarType dtype) { return scalar_type_name(dtype); }

}  // namespace rule
}  // namespace opweave

#endif  // OPWEAVE_STABLE_FORM_RULES_H_
