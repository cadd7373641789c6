// Arguments: a bound call whose parameters are read as the C++ types of the operator.
//
// One reader per schema type; `default` is what the schema says and is taken when the argument was
// not passed. Readers return values that convert to the operator's parameter types, and that must
// live until the call is over: keep them in locals.
//
//   | schema type        | reader                                   | local type        |
//   |--------------------|------------------------------------------|-------------------|
//   | Tensor, Tensor(a!) | a.tensor(i)                              | Tensor&           |
//   | Tensor?            | a.optional_tensor(i)                     | const Tensor&     |
//   | Tensor (or number) | a.tensor_or_number(i)                    | TensorArg         |
//   | Tensor[], Tensor?[]| a.tensor_list(i)                         | TensorListArg     |
//   | Scalar / Scalar?   | a.scalar(i, d) / a.optional_scalar(i)    | Scalar / optional |
//   | int / int?         | a.integer(i, d) / a.optional_integer(i)  | int64_t           |
//   | int[] / int[]?     | a.int_list(i, {…}) / a.optional_int_list(i) | IntListArg     |
//   | float / float?     | a.real(i, d) / a.optional_real(i)        | double            |
//   | float[] / float[]? | a.real_list(i, {…}) / a.optional_real_list(i) | DoubleListArg |
//   | bool / bool?       | a.boolean(i, d) / a.optional_boolean(i)  | bool              |
//   | bool[N]            | a.bool_array<N>(i, {…})                  | std::array        |
//   | str / str?         | a.string(i, "…") / a.optional_string(i)  | std::string_view  |
//   | ScalarType? …      | a.dtype(i), a.layout(i), a.device(i), a.memory_format(i),
//   a.opaque<T>(i): |                    | always std::optional; `.value()` where the schema has no
//   `?`     |
// A `?` parameter with a default other than None: a.optional_integer(i, 3), and so for the others.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "bindings/python/core/functions/parameters.h"
#include "bindings/python/core/objects/errors.h"
#include "bindings/python/core/objects/gil.h"
#include "bindings/python/core/objects/opaque.h"
#include "bindings/python/core/objects/tensor_object.h"
#include "runtime/core/numbers/scalar.h"
#include "runtime/core/tensor/layout.h"

namespace opweave::python {

// A tensor argument that may have been a Python number.
class TensorArg {
 public:
  explicit TensorArg(const Tensor& tensor) : tensor_(&tensor) {}
  explicit TensorArg(const Scalar& number)
      : number_(wrapped_number_tensor(number)), tensor_(nullptr) {}
  operator const Tensor&() const { return tensor_ != nullptr ? *tensor_ : number_; }  // NOLINT

 private:
  Tensor number_;
  const Tensor* tensor_;
};

struct TensorListArg {
  std::vector<Tensor> values;
  operator TensorList() const { return {values.data(), values.size()}; }  // NOLINT
};

struct IntListArg {
  DimVector values;
  bool given = true;
  operator IntList() const { return values; }  // NOLINT
  operator std::optional<IntList>() const {    // NOLINT
    return given ? std::optional<IntList>(values) : std::nullopt;
  }
};

struct DoubleListArg {
  std::vector<double> values;
  bool given = true;
  operator DoubleList() const { return {values.data(), values.size()}; }  // NOLINT
  operator std::optional<DoubleList>() const {                            // NOLINT
    return given ? std::optional<DoubleList>(DoubleList(*this)) : std::nullopt;
  }
};

class Arguments : public BoundCall {
 public:
  using BoundCall::BoundCall;

  Tensor& tensor(int i) const { return tensor_of(slots_[i]); }
  const Tensor& optional_tensor(int i) const { return given(i) ? tensor(i) : undefined_; }
  TensorArg tensor_or_number(int i) const {
    return is_tensor(slots_[i]) ? TensorArg(tensor_of(slots_[i])) : TensorArg(read_scalar(i));
  }
  TensorListArg tensor_list(int i) const;

  Scalar scalar(int i) const { return read_scalar(i); }
  Scalar scalar(int i, const Scalar& otherwise) const {
    return slots_[i] != nullptr ? read_scalar(i) : otherwise;
  }
  std::optional<Scalar> optional_scalar(int i, const std::optional<Scalar>& otherwise = {}) const {
    return read_optional<Scalar>(i, &Arguments::read_scalar, otherwise);
  }

  int64_t integer(int i) const { return read_int(i); }
  int64_t integer(int i, int64_t otherwise) const {
    return slots_[i] != nullptr ? read_int(i) : otherwise;
  }
  std::optional<int64_t> optional_integer(int i,
                                          const std::optional<int64_t>& otherwise = {}) const {
    return read_optional<int64_t>(i, &Arguments::read_int, otherwise);
  }

  double real(int i) const { return read_double(i); }
  double real(int i, double otherwise) const {
    return slots_[i] != nullptr ? read_double(i) : otherwise;
  }
  std::optional<double> optional_real(int i, const std::optional<double>& otherwise = {}) const {
    return read_optional<double>(i, &Arguments::read_double, otherwise);
  }

  bool boolean(int i) const { return read_bool(i); }
  bool boolean(int i, bool otherwise) const {
    return slots_[i] != nullptr ? read_bool(i) : otherwise;
  }
  std::optional<bool> optional_boolean(int i, const std::optional<bool>& otherwise = {}) const {
    return read_optional<bool>(i, &Arguments::read_bool, otherwise);
  }

  std::string_view string(int i) const { return read_string(i); }
  std::string_view string(int i, std::string_view otherwise) const {
    return slots_[i] != nullptr ? read_string(i) : otherwise;
  }
  std::optional<std::string_view> optional_string(
      int i, const std::optional<std::string_view>& otherwise = {}) const {
    return read_optional<std::string_view>(i, &Arguments::read_string, otherwise);
  }

  IntListArg int_list(int i) const { return read_int_list(i); }
  IntListArg int_list(int i, IntList otherwise) const {
    return slots_[i] != nullptr ? read_int_list(i) : IntListArg{otherwise};
  }
  IntListArg optional_int_list(int i) const {
    return given(i) ? read_int_list(i) : IntListArg{{}, false};
  }
  DoubleListArg real_list(int i) const { return read_double_list(i); }
  DoubleListArg real_list(int i, DoubleList otherwise) const;
  DoubleListArg optional_real_list(int i) const {
    return given(i) ? read_double_list(i) : DoubleListArg{{}, false};
  }
  template <size_t N>
  std::array<bool, N> bool_array(int i, const std::array<bool, N>& otherwise = {}) const {
    if (slots_[i] == nullptr) return otherwise;
    std::array<bool, N> values;
    read_bool_array(i, values);
    return values;
  }

  // However long the parameter says it is.
  std::vector<bool> bool_list(int i) const;

  std::optional<ScalarType> dtype(int i, const std::optional<ScalarType>& otherwise = {}) const;
  std::optional<Layout> layout(int i, const std::optional<Layout>& otherwise = {}) const;
  std::optional<Device> device(int i, const std::optional<Device>& otherwise = {}) const;
  std::optional<MemoryFormat> memory_format(
      int i, const std::optional<MemoryFormat>& otherwise = {}) const;
  template <ObjectType T>
  std::optional<T> opaque(int i) const {
    return given(i) ? std::optional<T>(unwrap_opaque<T>(slots_[i])) : std::nullopt;
  }

  // Parameter i itself, as a new reference: what in-place and out= calls return.
  PyObject* same(int i) const { return Py_NewRef(slots_[i]); }

 private:
  template <class T>
  std::optional<T> read_optional(int i, T (Arguments::*read)(int) const,
                                 std::optional<T> otherwise) const {
    if (slots_[i] == nullptr) return otherwise;
    if (slots_[i] == Py_None) return std::nullopt;
    return (this->*read)(i);
  }
  Scalar read_scalar(int i) const;
  void check_wide_number(int i) const;
  int64_t read_int(int i) const;
  double read_double(int i) const;
  bool read_bool(int i) const;
  std::string_view read_string(int i) const;
  IntListArg read_int_list(int i) const;
  DoubleListArg read_double_list(int i) const;
  void read_bool_array(int i, std::span<bool> values) const;

  static const Tensor undefined_;
};

// The fast path: true when the call passed exactly N tensors, by position, and nothing else.
template <size_t N>
bool only_tensors(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                  const Tensor* (&tensors)[N]) {
  const int first = self != nullptr ? 1 : 0;
  if (kwnames != nullptr || nargs + first != static_cast<Py_ssize_t>(N)) return false;
  if (first == 1) tensors[0] = &tensor_of(self);
  for (size_t i = first; i < N; ++i) {
    if (!is_tensor(args[i - first])) return false;
    tensors[i] = &tensor_of(args[i - first]);
  }
  return true;
}

}  // namespace opweave::python
