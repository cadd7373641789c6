// Records as parameters.
#include "bindings/python/core/functions/operator_face.h"

#include <algorithm>
#include <deque>

#include "runtime/core/base/error.h"
#include "runtime/dispatch/operator.h"
#include "runtime/dispatch/runtime_record.h"
#include "schema/python_text.h"

namespace opweave::python {
namespace {

// Texts that parameters refer to. Under the interpreter lock.
std::string_view keep(std::string text) {
  static auto* kept = new std::deque<std::string>;
  return kept->emplace_back(std::move(text));
}

Kind list_kind(BaseType base) {
  switch (base) {
    case BaseType::tensor:
      return Kind::kTensorList;
    case BaseType::floating:
      return Kind::kDoubleList;
    case BaseType::boolean:
      return Kind::kBoolArray;
    default:
      return Kind::kIntList;
  }
}

Kind kind_of(const TypeRecord& type) {
  if (type.list) return list_kind(type.base);
  switch (type.base) {
    case BaseType::tensor:
      return Kind::kTensor;
    case BaseType::scalar:
      return Kind::kScalar;
    case BaseType::integer:
      return Kind::kInt;
    case BaseType::floating:
      return Kind::kDouble;
    case BaseType::boolean:
      return Kind::kBool;
    case BaseType::string:
      return Kind::kString;
    case BaseType::scalar_type:
      return Kind::kDtype;
    case BaseType::layout:
      return Kind::kLayout;
    case BaseType::device:
      return Kind::kDevice;
    case BaseType::memory_format:
      return Kind::kMemoryFormat;
    default:
      return Kind::kOpaque;
  }
}

Param python_param(const ArgumentRecord& argument) {
  Param param = schema_param(argument);
  if (argument.number) param.kind = Kind::kTensorOrNumber;
  if (argument.name == "self") {
    param.name = "input";
  } else if (schema::is_python_keyword(argument.name)) {
    param.name = keep(schema::python_identifier(argument.name));
  }
  return param;
}

// Makes a tensor from no tensor.
bool is_factory(const OperatorRecord& record) {
  if (record.returns.size() != 1 || record.returns[0].type.alias != 0) return false;
  for (const ArgumentRecord& argument : record.arguments) {
    if (argument.type.base == BaseType::device && argument.name == "device") {
      return record.written() < 0;
    }
  }
  return false;
}

// A factory to which no tensor says where the result lies.
bool follows_chosen_device(const OperatorRecord& record) {
  return is_factory(record) && std::ranges::none_of(record.arguments, [](const ArgumentRecord& a) {
           return a.type.base == BaseType::tensor;
         });
}

// The tensor left of the dot.
uint8_t position_of_self(const OperatorRecord& record) {
  for (size_t i = 0; i < record.arguments.size(); ++i) {
    if (record.arguments[i].name == "self") return static_cast<uint8_t>(i);
  }
  return 0;
}

Overload overload_of(const OperatorOverload& overload) {
  if (overload.op == nullptr) {
    return {overload.params, overload.method, overload.function, overload.self};
  }
  const OperatorRecord& record = overload.op->record();
  const auto& params = *new std::vector<Param>(python_params(record));
  return {params, overload.method, overload.function, position_of_self(record)};
}

}  // namespace

Param schema_param(const ArgumentRecord& argument) {
  Param param{};
  param.name = argument.name;
  param.kind = kind_of(argument.type);
  if (argument.type.optional) param.flags |= kNone;
  if (argument.type.element_optional) param.flags |= kNoneInList;
  if (argument.keyword_only) param.flags |= kKeyword;
  param.length = argument.type.size;
  param.object = argument.type.object;
  if (argument.default_value.empty()) return param;
  param.flags |= kOptional;
  param.default_text = keep(schema::python_text(constant_of(argument)));
  return param;
}

std::vector<Param> python_params(const OperatorRecord& record) {
  std::vector<Param> params;
  for (const ArgumentRecord& argument : record.arguments) params.push_back(python_param(argument));
  if (follows_chosen_device(record)) {
    for (Param& param : params) {
      if (param.kind == Kind::kDevice) param.flags |= kChosenDevice;
    }
  }
  if (record.out != nullptr) {
    const size_t n = record.returns.size();
    params.push_back({"out", n == 1 ? Kind::kTensor : Kind::kTensorList,
                      kOptional | kNone | kKeyword | kOut, static_cast<uint8_t>(n == 1 ? 0 : n),
                      "None"});
  }
  if (is_factory(record)) {
    params.push_back({"requires_grad", Kind::kBool, kOptional | kKeyword, 0, "False"});
  }
  OW_INTERNAL_ASSERT(params.size() <= kMaxParams);
  return params;
}

void OperatorFunction::make_face() {
  auto* overloads = new std::vector<Overload>;
  for (const OperatorOverload& overload : overloads_) overloads->push_back(overload_of(overload));
  face_ = new Function{name_, *overloads};
}

}  // namespace opweave::python
