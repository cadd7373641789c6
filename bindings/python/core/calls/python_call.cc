#include "bindings/python/core/calls/python_call.h"

#include <algorithm>
#include <string>

#include "bindings/python/core/calls/operator_object.h"
#include "bindings/python/core/functions/results.h"
#include "bindings/python/core/objects/convert.h"
#include "runtime/dispatch/call_errors.h"
#include "runtime/dispatch/runtime_record.h"

namespace opweave::python {
namespace {

bool is_none(const IValue& value) {
  return value.is_none() || (value.is_tensor() && !value.to_tensor().defined());
}

// One number stands for a list of that number: `int[2] stride=1`.
bool repeats(const IValue& list, const IValue& number) {
  const auto* values = std::get_if<std::vector<int64_t>>(&list.value());
  const auto* one = std::get_if<int64_t>(&number.value());
  return values != nullptr && one != nullptr &&
         std::ranges::all_of(*values, [&](int64_t v) { return v == *one; });
}

struct SameAs {
  const IValue& other;

  bool operator()(const std::monostate&) const { return is_none(other); }
  bool operator()(const Tensor& v) const { return !v.defined() && is_none(other); }
  bool operator()(const std::vector<Tensor>& v) const {
    return v.empty() && other.is_tensor_list() && other.to_tensor_list().empty();
  }
  bool operator()(const Object&) const { return false; }
  template <class T>
  bool operator()(const T& v) const {
    const T* o = std::get_if<T>(&other.value());
    return o != nullptr && *o == v;
  }
};

bool is_default(const ArgumentRecord& argument, const IValue& value) {
  if (argument.default_value.empty()) return false;
  const IValue given = default_of(argument);
  return std::visit(SameAs{given}, value.value()) || repeats(value, given);
}

// How many positional arguments are left when those at the end that have their default are not
// said.
size_t count_said(const OperatorRecord& record, const Stack& stack, size_t positional) {
  while (positional > 0 && is_default(record.arguments[positional - 1], stack[positional - 1]))
    --positional;
  return positional;
}

size_t count_positional(const BoxedFace& schema) {
  const auto params = schema.params();
  return static_cast<size_t>(
      std::ranges::count_if(params, [](const Param& p) { return (p.flags & kKeyword) == 0; }));
}

void set_keyword(PyObject* kwargs, const Param& param, PyPtr value) {
  check(PyDict_SetItemString(kwargs, std::string(param.name).c_str(), value.get()));
}

// What the caller said: a number that a tensor stands for is that number.
PyPtr said(const ArgumentRecord& argument, const IValue& value) {
  const bool number = argument.number && value.is_tensor() && value.to_tensor().defined() &&
                      value.to_tensor().impl()->is_wrapped_number();
  return PyPtr::steal(number ? wrap(item(value.to_tensor())) : wrap(value));
}

// An empty list is one of tensors, unless the schema says what else it is.
IValue result_of(PyObject* result, const ReturnRecord& record) {
  const bool numbers = record.type.list && record.type.base != BaseType::tensor;
  if (!numbers || !PySequence_Check(result) || PySequence_Size(result) != 0)
    return to_ivalue(result);
  if (record.type.base == BaseType::floating) return std::vector<double>();
  return record.type.base == BaseType::boolean ? IValue(std::vector<bool>())
                                               : IValue(std::vector<int64_t>());
}

}  // namespace

PythonCall to_python_call(const BoxedFace& schema, const Stack& stack, PyObject* first) {
  const size_t positional = count_positional(schema), offset = first != nullptr ? 1 : 0;
  PythonCall call{PyPtr::steal(check(PyTuple_New(static_cast<Py_ssize_t>(positional + offset)))),
                  PyPtr::steal(check(PyDict_New()))};
  if (first != nullptr) detail::set_item(call.args.get(), 0, Py_NewRef(first));
  for (size_t i = 0; i < positional; ++i)
    detail::set_item(call.args.get(), i + offset, wrap(stack[i]));
  for (size_t i = positional; i < stack.size(); ++i)
    set_keyword(call.kwargs.get(), schema.params()[i], PyPtr::steal(wrap(stack[i])));
  return call;
}

PythonCall to_short_call(const OperatorEntry& op, const Stack& stack) {
  const BoxedFace& schema = schema_of(op);
  const OperatorRecord& record = op.record();
  const size_t positional = count_positional(schema);
  const size_t count = count_said(record, stack, positional);
  PythonCall call{PyPtr::steal(check(PyTuple_New(static_cast<Py_ssize_t>(count)))),
                  PyPtr::steal(check(PyDict_New()))};
  for (size_t i = 0; i < count; ++i)
    detail::set_item(call.args.get(), i, said(record.arguments[i], stack[i]).release());
  for (size_t i = positional; i < stack.size(); ++i) {
    if (!is_default(record.arguments[i], stack[i]))
      set_keyword(call.kwargs.get(), schema.params()[i], said(record.arguments[i], stack[i]));
  }
  return call;
}

void from_python_result(PyObject* result, const OperatorEntry& op, Stack& stack) {
  const auto returns = op.record().returns;
  const size_t num_returns = returns.size();
  stack.clear();
  if (num_returns == 0) return;
  if (num_returns == 1) {
    // A list result is usually returned as a tuple of tensors.
    stack.push_back(result_of(result, returns[0]));
    return check_results(op, stack, 1);
  }
  const bool tuple = PyTuple_Check(result);
  const size_t count = tuple ? static_cast<size_t>(PyTuple_GET_SIZE(result)) : 0;
  OW_CHECK_TYPE(tuple && count == num_returns, "the Python kernel of '", op.full_name(),
                "' has to return a tuple of ", num_returns, " values, but returned ",
                tuple ? str("one of ", count) : type_name(result));
  for (size_t i = 0; i < num_returns; ++i) {
    stack.push_back(result_of(PyTuple_GET_ITEM(result, static_cast<Py_ssize_t>(i)), returns[i]));
  }
  check_results(op, stack, num_returns);
}

}  // namespace opweave::python
