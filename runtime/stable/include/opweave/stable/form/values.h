// Between the values of generated code and kernels, and those of the interface.
#ifndef OPWEAVE_STABLE_FORM_VALUES_H_
#define OPWEAVE_STABLE_FORM_VALUES_H_

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opweave/stable/form/tensor.h"
#include "opweave/stable/value.h"

namespace opweave {
inline namespace stable_form {

// Of the core's objects a library knows that there are none: calls leave them out.
class Generator {};

}  // namespace stable_form

namespace stable OPWEAVE_STABLE_HIDDEN {

inline Scalar to_scalar(const OwValue& value) {
  switch (value.tag) {
    case OW_BOOL:
      return value.as.integer != 0;
    case OW_FLOAT:
      return value.as.real;
    case OW_WIDE_INT:
      return static_cast<uint64_t>(value.as.integer);
    default:
      return value.as.integer;
  }
}

// Lists are views of what the caller has.
#define OPWEAVE_STABLE_FROM(type, schema, kinds, expression) \
  template <>                                                \
  struct FromValue<type> {                                   \
    static constexpr const char* kSchema = schema;           \
    static type get(const OwValue& value) {                  \
      check_kind(value, kinds, schema);                      \
      return expression;                                     \
    }                                                        \
  };
OPWEAVE_STABLE_FROM(opweave::Tensor, "Tensor", kind(OW_NONE) | kind(OW_TENSOR),
                    FromValue<Tensor>::get(value))
OPWEAVE_STABLE_FROM(Scalar, "Scalar", kNumbers, to_scalar(value))
OPWEAVE_STABLE_FROM(std::string_view, "str", kind(OW_STRING),
                    std::string_view(value.as.text, value.count))
OPWEAVE_STABLE_FROM(ScalarType, "ScalarType", kind(OW_ELEMENT_TYPE),
                    static_cast<ScalarType>(value.as.code))
OPWEAVE_STABLE_FROM(Layout, "Layout", kind(OW_LAYOUT), static_cast<Layout>(value.as.code))
OPWEAVE_STABLE_FROM(MemoryFormat, "MemoryFormat", kind(OW_MEMORY_FORMAT),
                    static_cast<MemoryFormat>(value.as.code))
OPWEAVE_STABLE_FROM(opweave::Device, "Device", kind(OW_DEVICE),
                    opweave::Device(static_cast<DeviceType>(value.as.device.type),
                                    static_cast<int8_t>(value.as.device.index)))
OPWEAVE_STABLE_FROM(IntList, "int[]", kind(OW_INTS), IntList(value.as.integers, value.count))
OPWEAVE_STABLE_FROM(DimVector, "int[]", kind(OW_INTS),
                    DimVector(IntList(value.as.integers, value.count)))
OPWEAVE_STABLE_FROM(DoubleList, "float[]", kind(OW_FLOATS), DoubleList(value.as.reals, value.count))
OPWEAVE_STABLE_FROM(TensorList, "Tensor[]", kind(OW_TENSORS),
                    TensorList(std::span<const opweave::Tensor>(
                        reinterpret_cast<const opweave::Tensor*>(value.as.tensors), value.count)))
OPWEAVE_STABLE_FROM(std::vector<opweave::Tensor>, "Tensor[]", kind(OW_TENSORS),
                    std::vector<opweave::Tensor>(FromValue<TensorList>::get(value).begin(),
                                                 FromValue<TensorList>::get(value).end()))
#undef OPWEAVE_STABLE_FROM
template <size_t n>
struct FromValue<std::array<bool, n>> {
  static std::array<bool, n> get(const OwValue& value) {
    std::array<bool, n> bools{};
    for (size_t i = 0; i < n && i < value.count; ++i) bools[i] = value.as.bools[i] != 0;
    return bools;
  }
};

template <size_t n>
struct SchemaName<std::array<bool, n>> {
  static std::string text() { return "bool[" + std::to_string(n) + "]"; }
};

inline OwValue none_value() { return OwValue{}; }
inline OwValue tagged(OwTag tag, size_t count = 0) {
  OwValue value{};
  value.tag = tag;
  value.count = static_cast<uint32_t>(count);
  return value;
}
inline OwValue to_value(const Scalar& number) {
  OwValue value = tagged(number.is_floating()       ? OW_FLOAT
                         : number.is_bool()         ? OW_BOOL
                         : number.type() == kUInt64 ? OW_WIDE_INT
                                                    : OW_INT);
  if (number.is_floating()) {
    value.as.real = number.to_double();
  } else {
    value.as.integer = number.to_long();
  }
  return value;
}
inline OwValue to_value(opweave::Device device) {
  OwValue value = tagged(OW_DEVICE);
  value.as.device = {device.type, device.index};
  return value;
}
template <class Code>
OwValue code_value(OwTag tag, Code code) {
  OwValue value = tagged(tag);
  value.as.code = static_cast<int32_t>(code);
  return value;
}
inline OwValue list_value(IntList list) {
  OwValue value = tagged(OW_INTS, list.size());
  value.as.integers = list.data();
  return value;
}
inline OwValue list_value(TensorList list) {
  OwValue value = tagged(OW_TENSORS, list.size());
  value.as.tensors = reinterpret_cast<const OwTensor*>(list.data());
  return value;
}

#define OPWEAVE_STABLE_TO(type, expression)                                      \
  template <>                                                                    \
  class ToValue<type> {                                                          \
   public:                                                                       \
    explicit ToValue([[maybe_unused]] const type& value) : value_(expression) {} \
    const OwValue* get() const { return &value_; }                               \
                                                                                 \
   private:                                                                      \
    OwValue value_;                                                              \
  };
OPWEAVE_STABLE_TO(opweave::Tensor, *ToValue<Tensor>(value).get())
OPWEAVE_STABLE_TO(Scalar, to_value(value))
OPWEAVE_STABLE_TO(ScalarType, code_value(OW_ELEMENT_TYPE, value))
OPWEAVE_STABLE_TO(Layout, code_value(OW_LAYOUT, value))
OPWEAVE_STABLE_TO(MemoryFormat, code_value(OW_MEMORY_FORMAT, value))
OPWEAVE_STABLE_TO(opweave::Device, to_value(value))
OPWEAVE_STABLE_TO(IntList, list_value(value))
OPWEAVE_STABLE_TO(DimVector, list_value(IntList(value)))
OPWEAVE_STABLE_TO(TensorList, list_value(value))
OPWEAVE_STABLE_TO(std::vector<opweave::Tensor>, list_value(TensorList(value)))
OPWEAVE_STABLE_TO(Generator, none_value())
#undef OPWEAVE_STABLE_TO
template <>
class ToValue<std::string_view> {
 public:
  explicit ToValue(std::string_view text) : value_(tagged(OW_STRING, text.size())) {
    value_.as.text = text.data();
  }
  const OwValue* get() const { return &value_; }

 private:
  OwValue value_;
};
template <>
class ToValue<DoubleList> {
 public:
  explicit ToValue(DoubleList list) : value_(tagged(OW_FLOATS, list.size())) {
    value_.as.reals = list.data();
  }
  const OwValue* get() const { return &value_; }

 private:
  OwValue value_;
};
template <size_t n>
class ToValue<std::array<bool, n>> {
 public:
  explicit ToValue(const std::array<bool, n>& list) : value_(tagged(OW_BOOLS, n)) {
    for (size_t i = 0; i < n; ++i) bools_[i] = list[i];
    value_.as.bools = bools_;
  }
  ToValue(const ToValue&) = delete;
  const OwValue* get() const { return &value_; }

 private:
  uint8_t bools_[n];
  OwValue value_;
};

}  // namespace OPWEAVE_STABLE_HIDDEN
}  // namespace opweave

#endif  // OPWEAVE_STABLE_FORM_VALUES_H_
