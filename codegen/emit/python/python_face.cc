// From the model to Python callables.
#include "codegen/emit/python/python_face.h"

#include <algorithm>
#include <utility>

#include "codegen/emit/operators/operator_records.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/model/operators/python_overloads.h"
#include "codegen/syntax/value_types.h"
#include "schema/object_types.h"
#include "schema/python_text.h"

namespace opweave::codegen {
namespace {

bool is_public(const Operator& op) { return !op.origin.imported && !op.face->internal; }

bool names_a_reduction(const Argument& argument) {
  return argument.type.base == BaseType::integer && !argument.type.list && argument.default_value &&
         argument.default_value->kind == Constant::Kind::symbol;
}

PythonOverload make_overload(const Operator& op, bool method) {
  PythonOverload overload{&op, op.forms->out, {}};
  const int self = op.schema.find_argument("self");
  for (uint16_t i = 0; i < op.schema.arguments.size(); ++i) {
    const Argument& argument = op.schema.arguments[i];
    if (method && i == self) continue;
    PythonParameter p{schema::python_identifier(argument.name), &argument, i};
    p.keyword_only = argument.keyword_only;
    if (i == self) p.name = "input";
    p.accepts_number = takes_number(op, argument);
    p.reads_none = !method && op.face->python_module.empty() && names_a_reduction(argument);
    overload.parameters.push_back(std::move(p));
  }
  return overload;
}

PythonOverload nn_overload(const Operator& op) {
  const NnFunction& function = *op.face->nn_function;
  PythonOverload overload{&op, function.is_schema ? op.forms->out : nullptr, {}};
  for (const NnParameter& parameter : function.parameters) {
    PythonParameter p{schema::python_identifier(parameter.face.name), &parameter.face,
                      parameter.index, parameter.role};
    p.keyword_only = parameter.face.keyword_only;
    p.accepts_number = parameter.role == NnRole::argument &&
                       takes_number(op, op.schema.arguments[parameter.index]);
    overload.parameters.push_back(std::move(p));
  }
  return overload;
}

bool tried_before(const PythonOverload& a, const PythonOverload& b) {
  return codegen::tried_before(*a.op, *b.op);
}

enum class Which : uint8_t { functions, methods, both };

// Sorted by module and name.
using ByName = std::map<std::pair<std::string, std::string>, PythonCallable>;

std::vector<PythonCallable> sorted(ByName by_name) {
  std::vector<PythonCallable> callables;
  for (auto& [key, callable] : by_name) {
    std::stable_sort(callable.overloads.begin(), callable.overloads.end(), tried_before);
    callables.push_back(std::move(callable));
  }
  return callables;
}

std::vector<PythonCallable> collect(const Model& model, Which which) {
  ByName by_name;
  const bool method = which == Which::methods;
  for (const Operator* op : model.operators().all()) {
    if (!is_public(*op) || op->forms->form == Form::out) continue;
    if (which == Which::functions && !op->face->function) continue;
    if (which == Which::methods && !op->face->method) continue;
    const std::string module = method ? "" : op->face->python_module;
    PythonCallable& callable = by_name[{module, op->face->python_name}];
    callable.name = op->face->python_name;
    callable.module = module;
    callable.method = method;
    callable.overloads.push_back(make_overload(*op, method));
  }
  return sorted(std::move(by_name));
}

std::string element_type_name(const Type& type) {
  if (type.base == BaseType::object) return schema::find_object_type(type.object)->python;
  return std::string(find_value_type(type.base)->python);
}

}  // namespace

bool PythonCallable::is_schema() const {
  return std::ranges::all_of(overloads, [&](const PythonOverload& o) {
    return module != kNnFunctional || o.op->face->nn_function->is_schema;
  });
}

bool PythonCallable::left_out() const {
  return std::ranges::all_of(overloads,
                             [](const PythonOverload& o) { return o.op->selected->left_out; });
}

std::vector<PythonCallable> python_callables(const Model& model) {
  return collect(model, Which::both);
}
std::vector<PythonCallable> python_functions(const Model& model) {
  return collect(model, Which::functions);
}
std::vector<PythonCallable> python_methods(const Model& model) {
  return collect(model, Which::methods);
}

std::vector<PythonCallable> nn_functions(const Model& model) {
  ByName by_name;
  for (const Operator* op : model.operators().all()) {
    if (!is_public(*op) || !op->face->nn_function) continue;
    PythonCallable& callable = by_name[{"", op->face->nn_function->name}];
    callable.name = op->face->nn_function->name;
    callable.module = kNnFunctional;
    callable.overloads.push_back(nn_overload(*op));
  }
  return sorted(std::move(by_name));
}

std::vector<PythonCallable> public_functions(const Model& model) {
  std::vector<PythonCallable> functions = python_functions(model);
  std::erase_if(functions, [](const PythonCallable& c) { return c.module == "nn"; });
  std::ranges::move(nn_functions(model), std::back_inserter(functions));
  return functions;
}

bool is_factory(const Operator& op) {
  if (op.forms->form == Form::out) return false;
  for (const Argument& argument : op.schema.arguments) {
    if (argument.type.base == BaseType::device && argument.name == "device") {
      return op.schema.returns.size() == 1 && !op.is_view() && op.effects.mutated.empty();
    }
  }
  return false;
}

std::string python_type(const PythonParameter& parameter) {
  const Type& type = parameter.argument->type;
  std::string text = element_type_name(type);
  if (parameter.accepts_number) text = "Union[Tensor, Number]";
  if (type.list) {
    const std::string element = type.element_optional ? "Optional[" + text + "]" : text;
    text = type.base == BaseType::tensor
               ? "Union[Tuple[" + element + ", ...], List[" + element + "]]"
               : "Sequence[" + element + "]";
    if (type.base == BaseType::integer)
      text = type.size ? "Union[int, Sequence[int]]" : "Sequence[int]";
  }
  return type.optional ? "Optional[" + text + "]" : text;
}

std::string python_type(const Return& result) {
  const Type& type = result.type;
  const std::string element = element_type_name(type);
  if (!type.list) return element;
  return type.base == BaseType::tensor ? "Tuple[" + element + ", ...]" : "List[" + element + "]";
}

std::string python_result(const Operator& op) {
  const auto& returns = op.schema.returns;
  if (returns.empty()) return "None";
  if (returns.size() == 1) return python_type(returns[0]);
  return "Tuple[" + comma_list(returns, [](const Return& r) { return python_type(r); }) + "]";
}

bool has_named_results(const Operator& op) {
  return op.schema.returns.size() > 1 && !op.schema.returns[0].name.empty();
}

std::string python_default(const Argument& argument) {
  return schema::python_text(*argument.default_value);
}

std::string python_signature(const PythonOverload& overload, std::string_view name) {
  std::string text = std::string(name) + "(";
  bool first = true, starred = false;
  const auto add = [&](const std::string& part) {
    text += (first ? "" : ", ") + part;
    first = false;
  };
  for (const PythonParameter& p : overload.parameters) {
    if (p.keyword_only && !std::exchange(starred, true)) add("*");
    const std::string value = p.reads_none                ? "0"
                              : p.argument->default_value ? python_default(*p.argument)
                                                          : "";
    add(value.empty() ? p.name : p.name + "=" + value);
  }
  if (overload.out != nullptr) {
    if (!starred) add("*");
    add("out=None");
  }
  const bool first_only =
      std::ranges::count(overload.parameters, NnRole::all_results, &PythonParameter::role) > 0;
  return text + ") -> " + (first_only ? "Tensor" : python_result(*overload.op));
}

}  // namespace opweave::codegen
