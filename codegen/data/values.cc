// What schemas are made of.
#include "codegen/data/values.h"

#include <cmath>
#include <string>

#include "codegen/data/words.h"
#include "codegen/syntax/named_values.h"

namespace opweave::codegen::data {
namespace {

constexpr std::string_view kConstantKinds[] = {"none",   "boolean", "integer", "real",
                                               "string", "symbol",  "list"};

Json value_of(const Constant& constant) {
  switch (constant.kind) {
    case Constant::Kind::none:
      return nullptr;
    case Constant::Kind::boolean:
      return constant.boolean;
    case Constant::Kind::integer:
      return constant.integer;
    case Constant::Kind::real:
      return number_data(constant.real);
    case Constant::Kind::string:
    case Constant::Kind::symbol:
      return constant.string;
    case Constant::Kind::list:
      break;
  }
  return list_of(constant.items, constant_data);
}

// `a` of `Tensor(a!)`; what is shared with whom is in the views.
void add_alias(Json& to, const Type& type) {
  if (type.alias && !type.alias->before.empty()) to["alias"] = type.alias->before.front();
  add_flag(to, "written", type.is_mutated());
}

Json argument_data(const Argument& argument) {
  Json data = {{"name", argument.name}, {"type", type_data(argument.type)}};
  if (argument.default_value) data["default"] = constant_data(*argument.default_value);
  add_flag(data, "keyword_only", argument.keyword_only);
  return data;
}

Json arguments_data(const Operator& op) {
  Json list = Json::array();
  for (size_t i = 0; i < op.schema.arguments.size(); ++i) {
    Json data = argument_data(op.schema.arguments[i]);
    if (op.policies->role(i) != Role::unsaid) data["role"] = word(kRoles, op.policies->role(i));
    const bool limited =
        i < op.dtypes->of_arguments.size() && op.dtypes->of_arguments[i].bits != dtypes::kEvery;
    if (limited) data["dtypes"] = dtypes_data(op.dtypes->of_arguments[i]);
    list.push_back(std::move(data));
  }
  return list;
}

Json returns_data(const Schema& schema) {
  return list_of(schema.returns, [](const Return& result) {
    Json data = {{"type", type_data(result.type)}};
    if (!result.name.empty()) data["name"] = result.name;
    return data;
  });
}

}  // namespace

Json number_data(double number) {
  if (std::isfinite(number)) return number;
  return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
}

// Reductions have names for numbers, and dtypes more names than one.
static Json symbol_data(const std::string& name) {
  const NamedValue* number = find_named_value(name, BaseType::integer);
  if (number != nullptr)
    return {{"kind", "integer"}, {"value", std::stoll(std::string(number->cpp))}};
  const std::string_view dtype = dtype_called(name);
  return {{"kind", "symbol"}, {"value", dtype.empty() ? name : dtype}};
}

Json constant_data(const Constant& constant) {
  if (constant.kind == Constant::Kind::symbol) return symbol_data(constant.string);
  return {{"kind", word(kConstantKinds, constant.kind)}, {"value", value_of(constant)}};
}

Json type_data(const Type& type) {
  const bool is_object = type.base == BaseType::object;
  Json data = {
      {"base", is_object ? std::string(type.object) : std::string(base_type_name(type.base))}};
  add_flag(data, "object", is_object);
  add_flag(data, "list", type.list);
  if (type.size) data["size"] = *type.size;
  add_flag(data, "element_optional", type.element_optional);
  add_flag(data, "optional", type.optional);
  add_alias(data, type);
  data["text"] = print(type);
  return data;
}

Json dtypes_data(DTypeSet dtypes) {
  Json names = Json::array();
  for (int i = 0; i < kNumScalarTypes; ++i) {
    const auto dtype = static_cast<ScalarType>(i);
    if (dtypes.contains(dtype)) names.push_back(dtype_name(dtype));
  }
  return names;
}

Json schema_data(const Operator& op) {
  Json data = {{"text", print(op.schema)},
               {"arguments", arguments_data(op)},
               {"returns", returns_data(op.schema)}};
  const auto view = [](const ViewOf& v) {
    return Json{{"result", v.result}, {"argument", v.argument}};
  };
  if (!op.effects.views.empty()) data["views"] = list_of(op.effects.views, view);
  add_places(data, "writes", op.effects.mutated);
  return data;
}

Json function_schema_data(const Schema& schema) {
  return {{"text", print(schema)},
          {"arguments", list_of(schema.arguments, argument_data)},
          {"returns", returns_data(schema)}};
}

}  // namespace opweave::codegen::data
