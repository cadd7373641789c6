// Schema types and constants in C++.
#include "codegen/emit/text/signature.h"

#include <algorithm>
#include <array>

#include "codegen/emit/text/comma_list.h"
#include "codegen/emit/text/variables.h"
#include "codegen/syntax/keywords.h"
#include "codegen/syntax/named_values.h"
#include "codegen/syntax/value_types.h"
#include "schema/object_types.h"

namespace opweave::codegen {
namespace {

std::string element_type(const Type& type) {
  if (type.base == BaseType::object) return schema::find_object_type(type.object)->cpp;
  const ValueType* value = find_value_type(type.base);
  return value ? std::string(value->cpp) : "void";  // of formulas only: no operator has such values
}

std::string list_type(const Type& type) {
  const ListType* list = find_list_type(type.base);
  return list ? with_length(list->cpp, type) : "void";
}

std::string list_expression(const Constant& constant, const Type& type) {
  Type element = type;
  element.list = false;
  CommaList items;
  if (constant.kind == Constant::Kind::list) {
    for (const Constant& item : constant.items) items.add(constant_expression(item, element));
  } else {  // one value for all of a sized list
    const int64_t n = type.size.value_or(1);
    for (int64_t i = 0; i < n; ++i) items.add(constant_expression(constant, element));
  }
  return list_type(type) + "{" + items.text() + "}";
}

}  // namespace

std::string cpp_identifier(std::string_view name) {
  return is_cpp_keyword(name) ? std::string(name) + "_" : std::string(name);
}

// Characters that turn the direction of text around, so that a reader sees other code than a
// compiler: U+202A to U+202E and U+2066 to U+2069.
static bool turns_text(std::string_view at) {
  if (!at.starts_with("\xE2\x80") && !at.starts_with("\xE2\x81")) return false;
  const auto last = static_cast<unsigned char>(at.size() > 2 ? at[2] : 0);
  return at[1] == '\x80' ? last >= 0xAA && last <= 0xAE : last >= 0xA6 && last <= 0xA9;
}

static std::string octal(std::string_view bytes) {
  std::string out;
  for (const unsigned char byte : bytes) {
    out.push_back('\\');
    for (const int shift : {6, 3, 0}) out.push_back(static_cast<char>('0' + ((byte >> shift) & 7)));
  }
  return out;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += octal(text.substr(i, 1));
    } else if (turns_text(text.substr(i))) {
      out += octal(text.substr(i, 3));
      i += 2;
    } else {
      if (c == '"' || c == '\\') out.push_back('\\');
      out.push_back(c);
    }
  }
  return out + "\"";
}

std::string parameter_type(const Type& type) {
  if (type.is_tensor()) return type.is_mutated() ? "Tensor&" : "const Tensor&";
  const std::string base = type.list ? list_type(type) : element_type(type);
  const bool by_reference = type.base == BaseType::scalar && !type.list;
  if (type.optional) {
    return by_reference ? "const std::optional<Scalar>&" : "std::optional<" + base + ">";
  }
  return by_reference ? "const Scalar&" : base;
}

std::string stored_type(const Type& type) {
  if (type.is_tensor()) return "SavedTensor";
  if (type.is_tensor_list()) return "std::vector<SavedTensor>";
  std::string base = element_type(type);
  if (type.base == BaseType::string) base = "std::string";
  if (type.list) {
    if (type.base == BaseType::boolean) {
      base = list_type(type);
    } else {
      base = type.base == BaseType::integer ? "DimVector" : "std::vector<" + base + ">";
    }
  }
  return type.optional ? "std::optional<" + base + ">" : base;
}

std::string constant_expression(const Constant& constant, const Type& type) {
  if (constant.kind == Constant::Kind::none) return type.is_tensor() ? "Tensor()" : "std::nullopt";
  if (type.list) return list_expression(constant, type);
  switch (constant.kind) {
    case Constant::Kind::boolean:
      return constant.boolean ? "true" : "false";
    case Constant::Kind::integer:
      if (type.base == BaseType::floating) return std::to_string(constant.integer) + ".0";
      if (type.base == BaseType::boolean) return constant.integer ? "true" : "false";
      // Its digits alone are no number of C++.
      if (constant.integer == INT64_MIN) return "INT64_MIN";
      return std::to_string(constant.integer);
    case Constant::Kind::real:
      if (constant.text == "inf") return "std::numeric_limits<double>::infinity()";
      if (constant.text == "nan") return "std::numeric_limits<double>::quiet_NaN()";
      if (constant.text == "-inf") return "-std::numeric_limits<double>::infinity()";
      return constant.text;
    case Constant::Kind::string:
      return quoted(constant.string);
    case Constant::Kind::symbol:
      return std::string(find_named_value(constant.string, type.base)->cpp);
    default:
      return {};  // none and lists: above
  }
}

std::string result_type(const Operator& op) {
  const auto& returns = op.schema.returns;
  auto one = [](const Type& type) {
    if (type.is_tensor_list()) return std::string("std::vector<Tensor>");
    return element_type(type);
  };
  if (returns.empty()) return "void";
  if (returns.size() == 1) return returns_argument(op) ? "Tensor&" : one(returns[0].type);
  return "std::tuple<" + comma_list(returns, [&](const Return& r) { return one(r.type); }) + ">";
}

std::string spoken_name(const Operator& op) {
  return op.face->nn_function ? op.face->nn_function->name : op.face->python_name;
}

bool returns_argument(const Operator& op) {
  return op.schema.returns.size() == 1 && op.schema.returns[0].type.is_mutated() &&
         op.schema.returns[0].type.is_tensor();
}

Signature signature_of(const Operator& op) {
  Signature signature{result_type(op), {}};
  for (const Argument& argument : op.schema.arguments) {
    Parameter p{parameter_type(argument.type), cpp_identifier(argument.name), "", &argument};
    if (argument.default_value) {
      p.default_value = constant_expression(*argument.default_value, argument.type);
    }
    signature.parameters.push_back(std::move(p));
  }
  return signature;
}

Signature definition_of(const Operator& op) {
  Signature signature = signature_of(op);
  for (Parameter& p : signature.parameters) p.name = variable(p.argument->name);
  return signature;
}

Signature kernel_signature_of(const Operator& op) {
  Signature signature = signature_of(op);
  if (!op.fills_results()) return signature;
  signature.result = "void";
  for (size_t i = 0; i < op.schema.returns.size(); ++i) {
    signature.parameters.push_back(
        {"Tensor&", cpp_identifier(out_name(op.schema, i)), "", nullptr});
  }
  return signature;
}

Signature out_first(const Signature& signature, const Operator& op) {
  Signature reordered{signature.result, {}};
  auto add = [&](bool written) {
    for (const Parameter& p : signature.parameters) {
      if (p.argument->type.is_mutated() == written) reordered.parameters.push_back(p);
    }
  };
  if (op.forms->form != Form::out) return signature;
  add(true);
  add(false);
  return reordered;
}

std::vector<const Parameter*> written_parameters(const Signature& signature, const Operator& op) {
  std::vector<const Parameter*> written;
  for (uint16_t index : op.effects.mutated) written.push_back(&signature.parameters[index]);
  return written;
}

std::string Signature::parameter_list() const {
  return comma_list(parameters, [](const Parameter& p) { return p.type + " " + p.name; });
}

std::string Signature::optional_parameter_list() const {
  return comma_list(parameters,
                    [](const Parameter& p) { return "[[maybe_unused]] " + p.type + " " + p.name; });
}

std::string Signature::parameter_list_with_defaults() const {
  // A default is only written where every later parameter has one as well.
  size_t first = parameters.size();
  while (first > 0 && !parameters[first - 1].default_value.empty()) --first;
  CommaList list;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& p = parameters[i];
    list.add(p.type + " " + p.name + (i >= first ? " = " + p.default_value : ""));
  }
  return list.text();
}

std::string Signature::argument_list() const {
  return comma_list(parameters, [](const Parameter& p) { return p.name; });
}

std::string Signature::function_type() const {
  return result + "(" + comma_list(parameters, [](const Parameter& p) { return p.type; }) + ")";
}

}  // namespace opweave::codegen
