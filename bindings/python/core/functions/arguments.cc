// The readers of bound arguments. The kinds of the arguments were checked when the call was bound;
// what can still be wrong are the elements of lists and the range of numbers.
#include "bindings/python/core/functions/arguments.h"

#include <algorithm>

#include "bindings/python/core/functions/matcher.h"
#include "bindings/python/core/objects/chosen_device.h"
#include "bindings/python/core/objects/constants.h"
#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/sequence_items.h"

namespace opweave::python {
namespace {

bool is_list_of(PyObject* value, bool (*is_element)(PyObject*)) {
  if (!is_list(value)) return false;
  return PySequence_Fast_GET_SIZE(value) == 0 || is_element(PySequence_Fast_GET_ITEM(value, 0));
}

std::span<PyObject* const> items_of(PyObject* list) {
  return {PySequence_Fast_ITEMS(list), static_cast<size_t>(PySequence_Fast_GET_SIZE(list))};
}

// The items of a tuple or list, which are read once: what converts one may change the list.
class ReadItems {
 public:
  explicit ReadItems(PyObject* list) : items_(items_of(list)) {
    if (PyTuple_Check(list) || std::ranges::all_of(items_, is_builtin_number)) return;
    owner_ = as_tuple(list);
    items_ = items_of(owner_.get());
  }
  operator std::span<PyObject* const>() const { return items_; }  // NOLINT

 private:
  PyPtr owner_;
  std::span<PyObject* const> items_;
};

// Reads every element of a tuple or list, or the numbers of a call like view(2, 3).
template <class Element, class Output>
void read_list(const Function& function, const Param& param, std::span<PyObject* const> items,
               bool (*is_element)(PyObject*), Element (*convert)(PyObject*), Output output) {
  for (size_t i = 0; i < items.size(); ++i) {
    OW_CHECK_TYPE(is_element(items[i]), function.name, "(): argument '", param.name, "' must be ",
                  kind_text(param.kind), ", but found element of type ", type_name(items[i]),
                  " at pos ", i);
    try {
      output(convert(items[i]));
    } catch (const Error& error) {  // a number that fits no int64
      OW_THROW(ErrorKind::kType, function.name, "(): argument '", param.name,
               "' failed to unpack the object at pos ", i + 1, " with error \"", error.what(), '"');
    }
  }
}

}  // namespace

const Tensor Arguments::undefined_;

// A list that is empty unless it is given may be given as None: roll(x, 1, None).
static bool is_empty_by_default(const Param& param) {
  return param.kind == Kind::kIntList && (param.default_text == "[]" || param.default_text == "()");
}

[[gnu::hot]] bool accepts(const Param& param, PyObject* value) {
  if (value == Py_None) {
    return (param.flags & kNone) != 0 || param.kind == Kind::kObject || is_empty_by_default(param);
  }
  switch (param.kind) {
    case Kind::kTensor:
      return is_tensor(value);
    case Kind::kTensorOrNumber:
      return is_tensor(value) || is_plain_number(value);
    case Kind::kTensorList:
      return is_list(value);
    case Kind::kScalar:
      return is_number(value);
    case Kind::kInt:
      return is_size(value);
    case Kind::kIntList:
      return is_list_of(value, is_size) || (param.length > 0 && is_size(value));
    case Kind::kDouble:
      return is_real(value);
    case Kind::kDoubleList:
      return is_list_of(value, is_real) || (param.length > 0 && is_real(value));
    case Kind::kBool:
      return is_bool(value);
    case Kind::kBoolArray:
      return is_list_of(value, is_bool);
    case Kind::kString:
      return PyUnicode_Check(value);
    case Kind::kDtype:
      return is_dtype(value);
    case Kind::kLayout:
      return is_layout(value);
    case Kind::kDevice:
      return is_device(value);
    case Kind::kMemoryFormat:
      return is_memory_format(value);
    case Kind::kOpaque:
      return opaque_type(param.object).is(value);
    case Kind::kObject:
      return true;
  }
  return false;
}

TensorListArg Arguments::tensor_list(int i) const {
  TensorListArg list;
  if (!given(i)) return list;
  const Param& param = params_[i];
  const auto items = items_of(slots_[i]);
  OW_CHECK_TYPE(param.length == 0 || items.size() == param.length, "expected tuple of ",
                param.length, " elements but got ", items.size());
  list.values.reserve(items.size());
  for (size_t k = 0; k < items.size(); ++k) {
    if (is_tensor(items[k])) {
      list.values.push_back(tensor_of(items[k]));
      continue;
    }
    OW_CHECK_TYPE(items[k] == Py_None && (param.flags & kNoneInList) != 0, function_.name,
                  "(): expected Tensor as element ", k, " in argument ", i, ", but got ",
                  type_name(items[k]));
    list.values.emplace_back();
  }
  return list;
}

[[gnu::hot]] Scalar Arguments::read_scalar(int i) const {
  const Scalar number = to_scalar(slots_[i]);
  if (number.type() == kUInt64 && !PyLong_Check(slots_[i])) [[unlikely]]
    check_wide_number(i);
  return number;
}

// A number of NumPy that is no int64 has a type, and does not wrap into a tensor's as an int does.
void Arguments::check_wide_number(int i) const {
  for (size_t k = 0; k < function_.overloads[static_cast<size_t>(overload_)].params.size(); ++k) {
    if (slots_[k] == nullptr || !is_tensor(slots_[k])) continue;
    const ScalarType dtype = tensor_of(slots_[k]).dtype();
    OW_CHECK(!is_integral(dtype, /*include_bool=*/true) || dtype == kUInt64, function_.name,
             "(): ", type_name(slots_[i]), " ", to_scalar(slots_[i]).to<uint64_t>(),
             " cannot be converted to type int64_t without overflow");
  }
}

[[gnu::hot]] int64_t Arguments::read_int(int i) const { return to_int64(slots_[i]); }
double Arguments::read_double(int i) const { return to_double(slots_[i]); }
[[gnu::hot]] bool Arguments::read_bool(int i) const { return to_bool(slots_[i]); }
std::string_view Arguments::read_string(int i) const { return to_string_view(slots_[i]); }

[[gnu::hot]] IntListArg Arguments::read_int_list(int i) const {
  IntListArg list;
  const Param& param = params_[i];
  PyObject* value = slots_[i];
  if (value == Py_None) return list;
  const bool spread = i == varargs_param_;
  if (!spread && !is_list(value)) {  // one number stands for all
    list.values.resize(param.length, to_int64(value));
    return list;
  }
  const auto add = [&](int64_t v) { list.values.push_back(v); };
  if (spread) {
    read_list<int64_t>(function_, param, varargs_, is_size, to_int64, add);
  } else {
    read_list<int64_t>(function_, param, ReadItems(value), is_size, to_int64, add);
  }
  return list;
}

DoubleListArg Arguments::read_double_list(int i) const {
  DoubleListArg list;
  const Param& param = params_[i];
  if (!is_list(slots_[i])) {
    list.values.assign(param.length, to_double(slots_[i]));
    return list;
  }
  read_list<double>(function_, param, ReadItems(slots_[i]), is_real, to_double,
                    [&](double v) { list.values.push_back(v); });
  return list;
}

DoubleListArg Arguments::real_list(int i, DoubleList otherwise) const {
  if (slots_[i] != nullptr) return read_double_list(i);
  return {{otherwise.begin(), otherwise.end()}};
}

void Arguments::read_bool_array(int i, std::span<bool> values) const {
  const std::vector<bool> read = bool_list(i);
  std::ranges::copy(read, values.begin());
}

std::vector<bool> Arguments::bool_list(int i) const {
  const Param& param = params_[i];
  const ReadItems read(slots_[i]);
  const std::span<PyObject* const> items = read;
  OW_CHECK_TYPE(items.size() == param.length, function_.name, "(): argument '", param.name,
                "' must be a tuple of ", param.length, " bools, but has ", items.size());
  std::vector<bool> values;
  read_list<bool>(function_, param, items, is_bool, to_bool, [&](bool v) { values.push_back(v); });
  return values;
}

[[gnu::hot]] std::optional<ScalarType> Arguments::dtype(
    int i, const std::optional<ScalarType>& otherwise) const {
  if (slots_[i] == nullptr) return otherwise;
  return given(i) ? std::optional(to_dtype(slots_[i])) : std::nullopt;
}
std::optional<Layout> Arguments::layout(int i, const std::optional<Layout>& otherwise) const {
  if (slots_[i] == nullptr) return otherwise;
  return given(i) ? std::optional(to_layout(slots_[i])) : std::nullopt;
}
std::optional<Device> Arguments::device(int i, const std::optional<Device>& otherwise) const {
  if ((params_[i].flags & kChosenDevice) != 0 && !given(i)) return chosen_device();
  if (slots_[i] == nullptr) return otherwise;
  return given(i) ? std::optional(to_device(slots_[i])) : std::nullopt;
}
std::optional<MemoryFormat> Arguments::memory_format(
    int i, const std::optional<MemoryFormat>& otherwise) const {
  if (slots_[i] == nullptr) return otherwise;
  return given(i) ? std::optional(to_memory_format(slots_[i])) : std::nullopt;
}
}  // namespace opweave::python
