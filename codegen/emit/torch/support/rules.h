// What rules of operators say in C++: conditions of a call, and what its results look like. `Int`
// is int64_t when it runs, and c10::SymInt when PyTorch traces with sizes that it does not know.
#pragma once

#include <ATen/WrapDimUtils.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/TypeProperties.h>
#include <ATen/ops/empty.h>
#include <c10/core/ScalarType.h>
#include <c10/core/SymIntArrayRef.h>

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "arithmetic.h"
#include "dtypes.h"
#include "errors.h"

namespace opweave {

// Sizes as `Int`.
template <class Int>
auto sizes_of(const at::Tensor& tensor) {
  if constexpr (std::is_same_v<Int, int64_t>)
    return tensor.sizes();
  else
    return tensor.sym_sizes();
}
template <class Int>
auto strides_of(const at::Tensor& tensor) {
  if constexpr (std::is_same_v<Int, int64_t>)
    return tensor.strides();
  else
    return tensor.sym_strides();
}
template <class Int>
Int size_of(const at::Tensor& tensor, int64_t dim) {
  if constexpr (std::is_same_v<Int, int64_t>)
    return tensor.size(dim);
  else
    return tensor.sym_size(dim);
}
template <class Int>
Int numel_of(const at::Tensor& tensor) {
  if constexpr (std::is_same_v<Int, int64_t>)
    return tensor.numel();
  else
    return tensor.sym_numel();
}

// What one result looks like.
template <class Int>
struct ResultSpec {
  c10::SmallVector<Int, 5> sizes;
  ScalarType dtype = at::kFloat;
  at::Device device = at::kCPU;

  void set(c10::ArrayRef<Int> new_sizes, ScalarType new_dtype, at::Device new_device) {
    sizes.assign(new_sizes.begin(), new_sizes.end());
    dtype = new_dtype;
    device = new_device;
  }
  void set(c10::ArrayRef<Int> new_sizes, caffe2::TypeMeta new_dtype, at::Device new_device) {
    set(new_sizes, c10::typeMetaToScalarType(new_dtype), new_device);
  }
  at::Tensor make() const {
    const auto options = at::TensorOptions().dtype(dtype).device(device);
    if constexpr (std::is_same_v<Int, int64_t>)
      return at::empty(sizes, options);
    else
      return at::empty_symint(sizes, options);
  }
};

// Dimensions that a rule names, as its operator got them or in a list of its own.
class Dims {
 public:
  Dims(at::IntArrayRef dims) : dims_(dims.begin(), dims.end()) {}  // NOLINT: any list of ints
  Dims(const c10::SmallVector<int64_t, 5>& dims) : Dims(at::IntArrayRef(dims)) {}  // NOLINT
  Dims(const c10::SmallVector<c10::SymInt, 5>& dims) {                             // NOLINT
    for (const c10::SymInt& dim : dims) dims_.push_back(dim.guard_int(__FILE__, __LINE__));
  }
  at::OptionalIntArrayRef list() const { return at::IntArrayRef(dims_); }

 private:
  c10::SmallVector<int64_t, 5> dims_;
};

// The functions of rules, by their names.
template <class Int>
struct Rules {
  using List = c10::ArrayRef<Int>;
  using Vector = c10::SmallVector<Int, 5>;

  static int64_t wrap(int64_t dim, int64_t rank) { return at::maybe_wrap_dim(dim, rank); }
  static Vector copy(List list) { return Vector(list.begin(), list.end()); }
  static Vector with_dim(List sizes, int64_t dim) {
    wrap(dim, static_cast<int64_t>(sizes.size()));
    return copy(sizes);
  }
  static Int size_along(List sizes, int64_t dim) {
    const int64_t at = wrap(dim, static_cast<int64_t>(sizes.size()));
    return sizes.empty() ? Int(1) : sizes[at];
  }
  static Vector reduced(List sizes, at::OptionalIntArrayRef dim, bool keepdim) {
    const auto rank = static_cast<int64_t>(sizes.size());
    std::vector<bool> gone(sizes.size(), !dim.has_value() || dim->empty());
    if (dim.has_value()) {
      for (const int64_t d : *dim) {
        const int64_t at = wrap(d, rank);
        if (rank > 0) gone[at] = true;
      }
    }
    Vector out;
    for (int64_t i = 0; i < rank; ++i) {
      if (!gone[i])
        out.push_back(sizes[i]);
      else if (keepdim)
        out.push_back(Int(1));
    }
    return out;
  }
  static Vector reduced(List sizes, const std::optional<Dims>& dims, bool keepdim) {
    return reduced(sizes, dims ? dims->list() : at::OptionalIntArrayRef(), keepdim);
  }
  static Vector reduced(List sizes, std::optional<int64_t> dim, bool keepdim) {
    return dim ? reduced(sizes, at::OptionalIntArrayRef(at::IntArrayRef(*dim)), keepdim)
               : reduced(sizes, at::OptionalIntArrayRef(), keepdim);
  }
  static Vector reduced(List sizes, int64_t dim, bool keepdim) {
    return reduced(sizes, std::optional<int64_t>(dim), keepdim);
  }
  static bool same(List a, List b, int64_t but = -1) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (static_cast<int64_t>(i) != but && a[i] != b[i]) return false;
    }
    return true;
  }
  static Vector broadcast(List a, List b) {
    Vector out;
    const size_t rank = std::max(a.size(), b.size());
    for (size_t i = 0; i < rank; ++i) {
      const Int x = i + a.size() < rank ? Int(1) : a[i + a.size() - rank];
      const Int y = i + b.size() < rank ? Int(1) : b[i + b.size() - rank];
      TORCH_CHECK(x == y || x == 1 || y == 1, "The size of tensor a (", x,
                  ") must match the size of tensor b (", y, ") at non-singleton dimension ", i);
      out.push_back(x == 1 ? y : x);
    }
    return out;
  }
  static Vector concat(List a, List b) {
    Vector out = copy(a);
    out.append(b.begin(), b.end());
    return out;
  }
  static Vector first(List list, int64_t count) { return copy(list.slice(0, count)); }
  static Vector last(List list, int64_t count) { return copy(list.slice(list.size() - count)); }
  // A tensor of no dimensions has none to leave out.
  static Vector without(List list, int64_t index) { return without(list, index, index); }
  static Vector without(List list, int64_t a, int64_t b) {
    Vector out;
    for (size_t i = 0; i < list.size(); ++i) {
      const auto at = static_cast<int64_t>(i);
      if (at != a && at != b) out.push_back(list[i]);
    }
    return out;
  }
  static Vector replaced(List list, int64_t index, Int value) {
    Vector out = copy(list);
    if (!out.empty()) out[index] = std::move(value);
    return out;
  }
  static Vector inserted(List list, int64_t index, Int value) {
    Vector out = copy(list);
    out.insert(out.begin() + index, std::move(value));
    return out;
  }
  // What concatenation gives. An error if a tensor does not go with the others; an empty vector
  // goes with all.
  static Vector cat_sizes(at::TensorList tensors, int64_t dim) {
    TORCH_CHECK_VALUE(!tensors.empty(), "cat(): expected a non-empty list of Tensors");
    const at::Tensor* first = nullptr;
    for (size_t i = 0; i < tensors.size(); ++i) {
      TORCH_CHECK(tensors[i].dim() > 0, "zero-dimensional tensor (at position ", i,
                  ") cannot be concatenated");
      if (first == nullptr && !is_empty_vector(tensors[i])) first = &tensors[i];
    }
    if (first == nullptr) return with_dim(sizes_of<Int>(tensors[0]), dim);
    Vector out = copy(sizes_of<Int>(*first));
    const int64_t at = wrap(dim, first->dim());
    out[at] = 0;
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (is_empty_vector(tensors[i])) continue;
      check_part(sizes_of<Int>(tensors[i]), sizes_of<Int>(*first), at, i);
      out[at] = out[at] + size_of<Int>(tensors[i], at);
    }
    return out;
  }
  static ScalarType common_dtype(at::TensorList tensors) {
    return at::native::result_type(tensors);
  }
  static Int product(List list) {
    Int all = 1;
    for (const Int& item : list) all = all * item;
    return all;
  }
  static Int min(Int a, Int b) { return a < b ? a : b; }
  static Int max(Int a, Int b) { return a < b ? b : a; }
  static Int floor_div(Int a, Int b) {
    TORCH_CHECK(b != 0, "division by zero");
    if constexpr (std::is_same_v<Int, int64_t>)
      return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
    else
      return a / b;
  }
  static ScalarType promoted(ScalarType a, ScalarType b) { return c10::promoteTypes(a, b); }
  static bool is_floating(ScalarType type) { return c10::isFloatingType(type); }
  static bool is_integral(ScalarType type) { return c10::isIntegralType(type, false); }
  static ScalarType or_else(std::optional<ScalarType> value, ScalarType otherwise) {
    return value.value_or(otherwise);
  }
  static Int or_else(std::optional<int64_t> value, Int otherwise) {
    return value ? Int(*value) : otherwise;
  }
  static ScalarType accumulated(ScalarType dtype, std::optional<ScalarType> asked) {
    return asked.value_or(c10::isIntegralType(dtype, true) ? at::kLong : dtype);
  }

 private:
  static bool is_empty_vector(const at::Tensor& tensor) {
    return tensor.dim() == 1 && numel_of<Int>(tensor) == 0;
  }
  static void check_part(List part, List first, int64_t dim, size_t i) {
    TORCH_CHECK(part.size() == first.size(),
                "cat(): Tensors must have same number of dimensions: got ", first.size(), " and ",
                part.size(), " for tensor number ", i, " in the list");
    for (size_t d = 0; d < part.size(); ++d)
      TORCH_CHECK(static_cast<int64_t>(d) == dim || part[d] == first[d],
                  "cat(): Sizes of tensors must match except in dimension ", dim,
                  ". Expected size ", first[d], " but got size ", part[d], " for tensor number ", i,
                  " in the list.");
  }
};

}  // namespace opweave
