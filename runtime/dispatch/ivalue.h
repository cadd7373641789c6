// IValue: one operator argument or result without its static type, and the stack of them that boxed
// kernels (fallbacks, tracers, kernels written in Python) read and write.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/core/tensor/layout.h"
#include "runtime/core/tensor/tensor.h"
#include "runtime/dispatch/object.h"

namespace opweave {

class IValue {
 public:
  using Value = std::variant<std::monostate, Tensor, bool, int64_t, double, std::string,
                             std::vector<Tensor>, std::vector<int64_t>, std::vector<double>,
                             std::vector<bool>, ScalarType, Layout, Device, MemoryFormat, Object>;

  IValue() = default;  // None
  template <class T>
  requires std::constructible_from<Value, T&&> &&
      (!std::same_as<std::remove_cvref_t<T>, IValue>)IValue(T&& value)
      : value_(std::forward<T>(value)) {}  // NOLINT: any argument type
  template <ObjectType T>
  IValue(T object)  // NOLINT
      : value_(Object{object_type_name<T>, std::make_shared<const T>(std::move(object))}) {}
  IValue(const Scalar& s);                                                            // NOLINT
  IValue(std::string_view s) : value_(std::string(s)) {}                              // NOLINT
  IValue(TensorList list) : value_(std::vector<Tensor>(list.begin(), list.end())) {}  // NOLINT
  IValue(IntList list) : value_(std::vector<int64_t>(list.begin(), list.end())) {}    // NOLINT
  IValue(DoubleList list) : value_(std::vector<double>(list.begin(), list.end())) {}  // NOLINT
  template <size_t N>
  IValue(const std::array<bool, N>& a) : value_(std::vector<bool>(a.begin(), a.end())) {}  // NOLINT
  template <class T>
  IValue(const std::optional<T>& o) {  // NOLINT
    if (o) *this = IValue(*o);
  }

  bool is_none() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_tensor() const { return std::holds_alternative<Tensor>(value_); }
  bool is_tensor_list() const { return std::holds_alternative<std::vector<Tensor>>(value_); }
  const Value& value() const { return value_; }
  Value& value() { return value_; }

  // The held value; an internal error names both types when it is another. None gives an undefined
  // tensor, because that is what `Tensor?` is.
  const Tensor& to_tensor() const;
  Tensor& to_tensor();
  Scalar to_scalar() const;
  bool to_bool() const;
  int64_t to_int() const;
  double to_double() const;  // from an int as well
  const std::string& to_string() const { return get<std::string>(); }
  const std::vector<Tensor>& to_tensor_list() const { return get<std::vector<Tensor>>(); }
  const std::vector<int64_t>& to_int_list() const { return get<std::vector<int64_t>>(); }
  const std::vector<double>& to_double_list() const { return get<std::vector<double>>(); }
  ScalarType to_scalar_type() const { return get<ScalarType>(); }
  Layout to_layout() const { return get<Layout>(); }
  Device to_device() const { return get<Device>(); }
  MemoryFormat to_memory_format() const { return get<MemoryFormat>(); }
  const Object& to_object() const { return get<Object>(); }
  template <ObjectType T>
  const T& to_object() const {
    const auto* object = std::get_if<Object>(&value_);
    if (object == nullptr || object->type != object_type_name<T>) wrong_kind(object_type_name<T>);
    return *static_cast<const T*>(object->value.get());
  }
  template <size_t N>
  std::array<bool, N> to_bool_array() const {
    const auto& v = get<std::vector<bool>>();
    OW_INTERNAL_ASSERT(v.size() == N);
    std::array<bool, N> a;
    std::copy(v.begin(), v.end(), a.begin());
    return a;
  }

  // "Tensor", "int", …
  std::string_view kind_name() const;

 private:
  template <class T>
  const T& get() const {
    if (const T* v = std::get_if<T>(&value_)) return *v;
    wrong_kind(IValue(T()).kind_name());
  }
  [[noreturn]] void wrong_kind(std::string_view wanted) const;

  Value value_;
};

// Arguments in schema order going in; results coming out.
using Stack = std::vector<IValue>;

}  // namespace opweave
