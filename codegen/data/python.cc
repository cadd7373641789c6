// Python's functions and methods.
#include "codegen/data/python.h"

#include "codegen/data/values.h"
#include "codegen/data/words.h"
#include "codegen/emit/python/python_face.h"

namespace opweave::codegen::data {
namespace {

bool is_argument(const PythonParameter& parameter) {
  return parameter.role == NnRole::argument || parameter.role == NnRole::reduction;
}

// Of nn.functional types and defaults are the function's own.
Json parameter_data(const PythonParameter& parameter, bool own) {
  Json data = {{"name", parameter.name}};
  if (is_argument(parameter)) data["argument"] = parameter.index;
  if (parameter.role != NnRole::argument) data["role"] = word(kNnRoles, parameter.role);
  add_flag(data, "keyword_only", parameter.keyword_only);
  add_flag(data, "number", parameter.accepts_number);
  if (!own) return data;
  data["type"] = type_data(parameter.argument->type);
  if (parameter.argument->default_value)
    data["default"] = constant_data(*parameter.argument->default_value);
  return data;
}

Json overload_data(const PythonOverload& overload, bool of_nn) {
  const auto parameter = [&](const PythonParameter& p) { return parameter_data(p, of_nn); };
  Json data = {{"operator", overload.op->name.full}};
  if (overload.out != nullptr && !overload.out->selected->left_out)
    data["out"] = overload.out->name.full;
  data["parameters"] = list_of(overload.parameters, parameter);
  if (!of_nn || overload.op->face->nn_function->fixed.empty()) return data;
  data["fixed"] = list_of(overload.op->face->nn_function->fixed, [](const NnFixed& fixed) {
    return Json{{"argument", fixed.index}, {"value", constant_data(*fixed.argument.default_value)}};
  });
  return data;
}

Json callable_data(const PythonCallable& callable) {
  const bool of_nn = callable.module == kNnFunctional;
  Json data = {{"name", callable.name}};
  if (!callable.module.empty()) data["module"] = callable.module;
  const auto overload = [&](const PythonOverload& o) { return overload_data(o, of_nn); };
  data["overloads"] = list_of(callable.overloads, overload);
  return data;
}

Json callables_data(std::vector<PythonCallable> callables) {
  std::erase_if(callables, [](const PythonCallable& callable) { return callable.left_out(); });
  return list_of(callables, callable_data);
}

Json operator_data(const PythonOperatorFace& face) {
  Json data = {
      {"name", face.python->name}, {"written", face.python->spelling}, {"method", face.method}};
  add_flag(data, "inplace", face.inplace);
  add_flag(data, "reflected", face.reflected);
  add_flag(data, "takes_number", face.takes_number);
  return data;
}

}  // namespace

Json python_data(const Model& model) {
  return {{"functions", callables_data(python_functions(model))},
          {"methods", callables_data(python_methods(model))},
          {"nn_functional", callables_data(nn_functions(model))},
          {"operators", list_of(python_operators(model), operator_data)}};
}

}  // namespace opweave::codegen::data
