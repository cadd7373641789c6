// Between C++ values and those of the interface.
#ifndef OPWEAVE_STABLE_VALUE_H_
#define OPWEAVE_STABLE_VALUE_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "opweave/stable/tensor.h"

namespace opweave {
namespace stable OPWEAVE_STABLE_HIDDEN {

// A value that the core gave.
class OwnedValue {
 public:
  OwnedValue() = default;
  OwnedValue(const OwnedValue&) = delete;
  ~OwnedValue() {
    if (value_.tag != OW_NONE) api().value_release(&value_);
  }
  OwValue* get() { return &value_; }

 private:
  OwValue value_{};
};

// Kinds of values, as bits.
constexpr uint32_t kind(OwTag tag) { return uint32_t{1} << tag; }
constexpr uint32_t kNumbers = kind(OW_BOOL) | kind(OW_INT) | kind(OW_FLOAT) | kind(OW_WIDE_INT);
constexpr uint32_t kLists = kind(OW_TENSORS) | kind(OW_INTS) | kind(OW_FLOATS) | kind(OW_BOOLS);

// Throws unless the value is of one of the kinds: nothing of another can be read as the type. Lists
// without elements are all alike.
inline void check_kind(const OwValue& value, uint32_t kinds, const char* type) {
  if ((kinds & kLists) != 0 && value.count == 0) kinds |= kLists;
  if (value.tag < 32 && (kinds >> value.tag & 1) != 0) return;
  throw Error("a value of kind " + std::to_string(value.tag) + " was read as " + type,
              OW_TYPE_ERROR);
}

// Reads a value as the C++ type; kSchema is what schemas call it.
template <class T>
struct FromValue;
#define OPWEAVE_STABLE_FROM(type, schema, kinds, expression) \
  template <>                                                \
  struct FromValue<type> {                                   \
    static constexpr const char* kSchema = schema;           \
    static type get(const OwValue& value) {                  \
      check_kind(value, kinds, schema);                      \
      return expression;                                     \
    }                                                        \
  };
OPWEAVE_STABLE_FROM(Tensor, "Tensor", kind(OW_NONE) | kind(OW_TENSOR),
                    value.tag == OW_NONE ? Tensor() : Tensor::borrowed(value.as.tensor))
OPWEAVE_STABLE_FROM(bool, "bool", kind(OW_BOOL) | kind(OW_INT), value.as.integer != 0)
OPWEAVE_STABLE_FROM(int64_t, "int", kind(OW_BOOL) | kind(OW_INT), value.as.integer)
OPWEAVE_STABLE_FROM(double, "float", kNumbers, Number(value).to_double())
OPWEAVE_STABLE_FROM(Number, "Scalar", kNumbers, Number(value))
OPWEAVE_STABLE_FROM(std::string, "str", kind(OW_STRING), std::string(value.as.text, value.count))
OPWEAVE_STABLE_FROM(Dtype, "ScalarType", kind(OW_ELEMENT_TYPE), static_cast<Dtype>(value.as.code))
OPWEAVE_STABLE_FROM(Device, "Device", kind(OW_DEVICE),
                    (Device{value.as.device.type, value.as.device.index}))
OPWEAVE_STABLE_FROM(std::vector<int64_t>, "int[]", kind(OW_INTS),
                    std::vector<int64_t>(value.as.integers, value.as.integers + value.count))
OPWEAVE_STABLE_FROM(std::vector<double>, "float[]", kind(OW_FLOATS),
                    std::vector<double>(value.as.reals, value.as.reals + value.count))
#undef OPWEAVE_STABLE_FROM
template <>
struct FromValue<std::vector<Tensor>> {
  static constexpr const char* kSchema = "Tensor[]";
  static std::vector<Tensor> get(const OwValue& value) {
    check_kind(value, kind(OW_TENSORS), kSchema);
    std::vector<Tensor> tensors;
    for (uint32_t i = 0; i < value.count; ++i) {
      tensors.push_back(Tensor::borrowed(value.as.tensors[i]));
    }
    return tensors;
  }
};
template <class T>
struct FromValue<std::optional<T>> {
  static std::optional<T> get(const OwValue& value) {
    if (value.tag == OW_NONE) return std::nullopt;
    return FromValue<T>::get(value);
  }
};

// What schemas call a C++ type.
template <class T>
struct SchemaName {
  static std::string text() { return FromValue<T>::kSchema; }
};
template <class T>
struct SchemaName<std::optional<T>> {
  static std::string text() { return std::string(FromValue<T>::kSchema) + "?"; }
};

// A C++ value as one of the interface, which points into it.
template <class T>
class ToValue;
#define OPWEAVE_STABLE_TO(type, kind, ...)         \
  template <>                                      \
  class ToValue<type> {                            \
   public:                                         \
    explicit ToValue(const type& value) {          \
      value_.tag = kind;                           \
      __VA_ARGS__;                                 \
    }                                              \
    const OwValue* get() const { return &value_; } \
                                                   \
   private:                                        \
    OwValue value_{};                              \
  };
OPWEAVE_STABLE_TO(Tensor, static_cast<uint32_t>(value.defined() ? OW_TENSOR : OW_NONE),
                  value_.as.tensor = value.handle())
OPWEAVE_STABLE_TO(bool, OW_BOOL, value_.as.integer = value)
OPWEAVE_STABLE_TO(int, OW_INT, value_.as.integer = value)
OPWEAVE_STABLE_TO(int64_t, OW_INT, value_.as.integer = value)
OPWEAVE_STABLE_TO(double, OW_FLOAT, value_.as.real = value)
OPWEAVE_STABLE_TO(Number, 0, value_ = value.value())
OPWEAVE_STABLE_TO(Dtype, OW_ELEMENT_TYPE, value_.as.code = static_cast<int32_t>(value))
OPWEAVE_STABLE_TO(std::string, OW_STRING, value_.as.text = value.data();
                  value_.count = static_cast<uint32_t>(value.size()))
OPWEAVE_STABLE_TO(std::vector<int64_t>, OW_INTS, value_.as.integers = value.data();
                  value_.count = static_cast<uint32_t>(value.size()))
OPWEAVE_STABLE_TO(std::vector<double>, OW_FLOATS, value_.as.reals = value.data();
                  value_.count = static_cast<uint32_t>(value.size()))
OPWEAVE_STABLE_TO(std::vector<Tensor>, OW_TENSORS,
                  value_.as.tensors = reinterpret_cast<const OwTensor*>(value.data());
                  value_.count = static_cast<uint32_t>(value.size()))
#undef OPWEAVE_STABLE_TO
template <class T>
class ToValue<std::optional<T>> {
 public:
  explicit ToValue(const std::optional<T>& value) {
    if (value) value_ = *ToValue<T>(*value).get();
  }
  const OwValue* get() const { return &value_; }

 private:
  OwValue value_{};
};
template <>
class ToValue<std::nullopt_t> {
 public:
  explicit ToValue(std::nullopt_t) {}
  const OwValue* get() const { return &value_; }

 private:
  OwValue value_{};
};

}  // namespace OPWEAVE_STABLE_HIDDEN
}  // namespace opweave

#endif  // OPWEAVE_STABLE_VALUE_H_
