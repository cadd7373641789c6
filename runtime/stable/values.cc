// Between boxed values and those of the stable interface.
#include "runtime/stable/values.h"

#include <cstring>
#include <limits>
#include <utility>

#include "runtime/core/base/error.h"
#include "runtime/dispatch/boxed_scalar.h"

namespace opweave::stable {
namespace {

// A list of tensors is one of pointers.
static_assert(sizeof(Tensor) == sizeof(OwTensor) && alignof(Tensor) == alignof(OwTensor));
static_assert(sizeof(OwValue) == 16 && sizeof(OwNumber) == 16);
// The codes of element types are for ever.
#define OW_DTYPE(id, ...) static_assert(static_cast<int>(k##id) == OW_DTYPE_##id);
#include "dtypes/dtypes.def"

const OwTensor* handles_of(const std::vector<Tensor>& list) {
  return reinterpret_cast<const OwTensor*>(list.data());
}

OwValue tagged(OwTag tag, size_t count = 0) {
  OwValue value{};
  value.tag = tag;
  value.count = static_cast<uint32_t>(count);
  return value;
}
OwValue with_code(OwTag tag, int code) {
  OwValue value = tagged(tag);
  value.as.code = code;
  return value;
}

// What a variant holds but lists and strings, whose memory is the caller's question.
struct Plain {
  OwValue operator()(std::monostate) const { return tagged(OW_NONE); }
  OwValue operator()(const Tensor& t) const {
    OwValue value = tagged(t.defined() ? OW_TENSOR : OW_NONE);
    value.as.tensor = handle_of(t);
    return value;
  }
  OwValue operator()(bool b) const { return integer(OW_BOOL, b); }
  OwValue operator()(int64_t i) const { return integer(OW_INT, i); }
  OwValue operator()(double d) const {
    OwValue value = tagged(OW_FLOAT);
    value.as.real = d;
    return value;
  }
  OwValue operator()(ScalarType t) const { return with_code(OW_ELEMENT_TYPE, static_cast<int>(t)); }
  OwValue operator()(Layout l) const { return with_code(OW_LAYOUT, static_cast<int>(l)); }
  OwValue operator()(MemoryFormat f) const {
    return with_code(OW_MEMORY_FORMAT, static_cast<int>(f));
  }
  OwValue operator()(Device d) const {
    OwValue value = tagged(OW_DEVICE);
    value.as.device = {d.type, d.index};
    return value;
  }
  OwValue operator()(const Object& o) const {
    if (o.type == kWideInt) return integer(OW_WIDE_INT, IValue(o).to_scalar().to_long());
    OW_THROW(ErrorKind::kType, "a value of type ", o.type,
             " cannot be passed to an operator of a library with the stable interface");
  }

  OwValue operator()(const std::string& s) const {
    OwValue value = tagged(OW_STRING, s.size());
    value.as.text = s.data();
    return value;
  }
  OwValue operator()(const std::vector<Tensor>& v) const {
    OwValue value = tagged(OW_TENSORS, v.size());
    value.as.tensors = handles_of(v);
    return value;
  }
  OwValue operator()(const std::vector<int64_t>& v) const {
    OwValue value = tagged(OW_INTS, v.size());
    value.as.integers = v.data();
    return value;
  }
  OwValue operator()(const std::vector<double>& v) const {
    OwValue value = tagged(OW_FLOATS, v.size());
    value.as.reals = v.data();
    return value;
  }
  OwValue operator()(const std::vector<bool>& v) const { return tagged(OW_BOOLS, v.size()); }

 private:
  static OwValue integer(OwTag tag, int64_t i) {
    OwValue value = tagged(tag);
    value.as.integer = i;
    return value;
  }
};

std::vector<uint8_t> bytes_of(const std::vector<bool>& list) { return {list.begin(), list.end()}; }

template <class T>
const T* copied(const T* from, size_t n) {
  T* to = new T[n];
  std::copy_n(from, n, to);
  return to;
}

template <class T>
std::vector<T> list_of(const T* from, uint32_t n) {
  return n == 0 ? std::vector<T>() : std::vector<T>(from, from + n);
}

std::vector<Tensor> tensors_of(const OwValue& value) {
  std::vector<Tensor> tensors;
  tensors.reserve(value.count);
  for (uint32_t i = 0; i < value.count; ++i) tensors.push_back(tensor_of(value.as.tensors[i]));
  return tensors;
}

std::vector<bool> bools_of(const OwValue& value) {
  std::vector<bool> bools;
  for (uint32_t i = 0; i < value.count; ++i) bools.push_back(value.as.bools[i] != 0);
  return bools;
}

}  // namespace

OwTensor give(Tensor t) { return reinterpret_cast<OwTensor>(std::move(t).take_impl().detach()); }

Arguments::Arguments(const Stack& stack) {
  values_.reserve(stack.size());
  for (const IValue& value : stack) values_.push_back(view(value));
}

OwValue Arguments::view(const IValue& value) {
  OwValue seen = std::visit(Plain(), value.value());
  if (seen.tag == OW_BOOLS) {
    bools_.push_back(bytes_of(std::get<std::vector<bool>>(value.value())));
    seen.as.bools = bools_.back().data();
  }
  return seen;
}

ScalarType to_scalar_type(int32_t code) {
  OW_CHECK_TYPE(code >= 0 && code < kNumScalarTypes, "there is no element type ", code,
                "; this opweave knows 0 to ", kNumScalarTypes - 1);
  return static_cast<ScalarType>(code);
}

Device to_device(OwDevice device) {
  const bool known = device.type >= 0 && device.type < kMaxDeviceTypes &&
                     !device_type_name(static_cast<DeviceType>(device.type)).empty();
  OW_CHECK_TYPE(known, "there is no device type ", device.type, "; this opweave knows ",
                registered_device_names());
  OW_CHECK_TYPE(device.index >= -1 && device.index <= std::numeric_limits<int8_t>::max(),
                "there is no device ", device_type_name(static_cast<DeviceType>(device.type)), ":",
                device.index);
  return {static_cast<DeviceType>(device.type), static_cast<int8_t>(device.index)};
}

Scalar to_scalar(const OwNumber& number) {
  switch (number.dtype) {
    case OW_DTYPE_Bool:
      return number.as.integer != 0;
    case OW_DTYPE_Long:
      return number.as.integer;
    case OW_DTYPE_UInt64:
      return static_cast<uint64_t>(number.as.integer);
    default:
      OW_CHECK_TYPE(number.dtype == OW_DTYPE_Double, "no number has the element type ",
                    static_cast<int>(number.dtype));
      return number.as.real;
  }
}

IValue to_ivalue(const OwValue& value) {
  switch (value.tag) {
    case OW_NONE:
      return {};
    case OW_TENSOR:
      return tensor_of(value.as.tensor);
    case OW_BOOL:
      return value.as.integer != 0;
    case OW_INT:
      return value.as.integer;
    case OW_WIDE_INT:
      return Scalar(static_cast<uint64_t>(value.as.integer));
    case OW_FLOAT:
      return value.as.real;
    case OW_STRING:
      return std::string(value.as.text, value.count);
    case OW_TENSORS:
      return tensors_of(value);
    case OW_INTS:
      return list_of(value.as.integers, value.count);
    case OW_FLOATS:
      return list_of(value.as.reals, value.count);
    case OW_BOOLS:
      return bools_of(value);
    case OW_ELEMENT_TYPE:
      return to_scalar_type(value.as.code);
    case OW_DEVICE:
      return to_device(value.as.device);
    case OW_LAYOUT:
      OW_CHECK_TYPE(value.as.code >= 0 && value.as.code < kNumLayouts, "there is no layout ",
                    value.as.code);
      return static_cast<Layout>(value.as.code);
    case OW_MEMORY_FORMAT:
      OW_CHECK_TYPE(value.as.code >= 0 && value.as.code <= 3, "there is no memory format ",
                    value.as.code);
      return static_cast<MemoryFormat>(value.as.code);
    default:
      OW_THROW(ErrorKind::kType, "there is no kind ", value.tag, " of values");
  }
}

OwValue to_owned(const IValue& value) {
  OwValue owned = std::visit(Plain(), value.value());
  switch (owned.tag) {
    case OW_TENSOR:
      impl_of(owned.as.tensor)->retain();
      break;
    case OW_STRING:
      owned.as.text = copied(owned.as.text, owned.count);
      break;
    case OW_TENSORS:
      for (uint32_t i = 0; i < owned.count; ++i) {
        if (owned.as.tensors[i] != nullptr) impl_of(owned.as.tensors[i])->retain();
      }
      owned.as.tensors = copied(owned.as.tensors, owned.count);
      break;
    case OW_INTS:
      owned.as.integers = copied(owned.as.integers, owned.count);
      break;
    case OW_FLOATS:
      owned.as.reals = copied(owned.as.reals, owned.count);
      break;
    case OW_BOOLS:
      owned.as.bools =
          copied(bytes_of(std::get<std::vector<bool>>(value.value())).data(), owned.count);
      break;
    default:
      break;
  }
  return owned;
}

void release(OwValue& value) {
  switch (value.tag) {
    case OW_TENSOR:
      impl_of(value.as.tensor)->release();
      break;
    case OW_STRING:
      delete[] value.as.text;
      break;
    case OW_TENSORS:
      for (uint32_t i = 0; i < value.count; ++i) {
        if (value.as.tensors[i] != nullptr) impl_of(value.as.tensors[i])->release();
      }
      delete[] value.as.tensors;
      break;
    case OW_INTS:
      delete[] value.as.integers;
      break;
    case OW_FLOATS:
      delete[] value.as.reals;
      break;
    case OW_BOOLS:
      delete[] value.as.bools;
      break;
    default:
      break;
  }
  value = {};
}

}  // namespace opweave::stable
