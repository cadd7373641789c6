// Lookup of names in formulas.
#include "codegen/expr/formula_names.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <optional>

#include "codegen/diagnostics/suggest.h"
#include "codegen/syntax/named_values.h"
#include "schema/constant_parser.h"

namespace opweave::codegen {
namespace {

Constant make_constant(Constant::Kind kind, std::string_view text) {
  Constant value;
  value.kind = kind;
  value.text = text;
  value.string = text;
  return value;
}

// The i of `result<i>`.
std::optional<size_t> numbered_result(std::string_view name) {
  if (!name.starts_with("result")) return {};
  std::string_view digits = name.substr(6);
  size_t index = 0;
  auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  bool whole = parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size() &&
               (digits.size() == 1 || !digits.starts_with('0'));
  return whole ? std::optional(index) : std::nullopt;
}

}  // namespace

std::string result_name(const Schema& schema, size_t index) {
  const std::string& name = schema.returns[index].name;
  if (!name.empty() && schema.find_argument(name) < 0) return name;
  return schema.returns.size() == 1 ? "result" : fmt::format("result{}", index);
}

// Names that mean a gradient in every formula of derivatives.yaml.
static bool is_reserved(std::string_view name) {
  return name == "grad" || name == "grads" || name == "grad_input_mask";
}

const FormulaNode* NamesInScope::find(const SyntaxNode& name) {
  int index = scope_.schema->find_argument(name.text);
  if (index >= 0 && scope_.is_derivative && is_reserved(name.text)) {
    sink_
        .error(Code::names_collide, name.span,
               fmt::format("'{}' is the incoming gradient here, and an argument of '{}' too",
                           name.text, scope_.schema->full_name()))
        .note(scope_.schema->arguments[index].span, "give this argument another name");
    return nullptr;
  }
  if (index >= 0) {
    FormulaNode& node =
        arena_.make(FormulaKind::argument, scope_.schema->arguments[index].type, name.span);
    node.index = static_cast<uint16_t>(index);
    return &node;
  }
  for (size_t i = 0; i < scope_.locals.size(); ++i) {
    if (scope_.locals[i].name == name.text)
      return let(name, i, scope_.locals[i], FormulaKind::local);
  }
  for (size_t i = 0; i < scope_.parts.size(); ++i) {
    if (scope_.parts[i].name == name.text) return let(name, i, scope_.parts[i], FormulaKind::named);
  }
  if (const FormulaNode* known = constant(name)) return known;
  if (scope_.is_forward) return forward_name(name);
  return scope_.is_derivative ? derivative_name(name) : unknown(name);
}

// Null where the value is wrong: one report is enough.
const FormulaNode* NamesInScope::let(const SyntaxNode& name, size_t index,
                                     const FormulaLocal& local, FormulaKind kind) {
  const FormulaNode* value = local.value;
  if (!value) return nullptr;
  if (kind == FormulaKind::named && scope_.is_rule) {
    sink_.error(
        Code::unknown_name, name.span,
        fmt::format("'{}' is a part of the formula: conditions are checked before anything is "
                    "computed, and read arguments alone",
                    name.text));
    return nullptr;
  }
  const bool part = kind == FormulaKind::named;
  FormulaNode& node = part ? arena_.make(kind, value->type, name.span, {value})
                           : arena_.make(kind, value->type, name.span);
  node.index = static_cast<uint16_t>(index);
  return &node;
}

// `self_t`, the tangent of a tensor argument, and `self_p`, its value.
const FormulaNode* NamesInScope::forward_name(const SyntaxNode& name) {
  const bool tangent = name.text.ends_with("_t");
  if (!tangent && !name.text.ends_with("_p")) return output_name(name);
  const int index = scope_.schema->find_argument(name.text.substr(0, name.text.size() - 2));
  if (index < 0) return output_name(name);
  const Argument& argument = scope_.schema->arguments[index];
  if (!argument.type.is_tensor_like()) {
    sink_
        .error(Code::not_differentiable_input, name.span,
               fmt::format("'{}' of '{}' is of type {}: only tensors have tangents", argument.name,
                           scope_.schema->full_name(), print(argument.type)))
        .note(argument.span, "it is declared here");
    return nullptr;
  }
  Type type = argument.type;
  if (tangent) type.alias.reset();
  FormulaNode& made =
      arena_.make(tangent ? FormulaKind::tangent : FormulaKind::argument, type, name.span);
  made.index = static_cast<uint16_t>(index);
  return &made;
}

const FormulaNode* NamesInScope::constant(const SyntaxNode& name) {
  std::string_view text = name.text;
  if (text == "true" || text == "false") {
    Constant value = make_constant(Constant::Kind::boolean, text);
    value.boolean = text == "true";
    return arena_.constant(value, plain_type(BaseType::boolean), name.span);
  }
  if (text == "none") {
    return arena_.constant(make_constant(Constant::Kind::none, text), plain_type(BaseType::none),
                           name.span);
  }
  if (text == "inf") {
    Constant value = make_constant(Constant::Kind::real, text);
    value.real = std::numeric_limits<double>::infinity();
    return arena_.constant(value, plain_type(BaseType::floating), name.span);
  }
  if (const NamedValue* value = find_named_value(text)) {
    return arena_.constant(make_constant(Constant::Kind::symbol, text), plain_type(value->type),
                           name.span);
  }
  return nullptr;
}

const FormulaNode* NamesInScope::derivative_name(const SyntaxNode& name) {
  if (name.text == "grad") return output(FormulaKind::gradient, 0, name);
  if (name.text == "grad_input_mask") {
    Type type = list_type(BaseType::boolean);
    type.size = static_cast<int64_t>(scope_.inputs);
    return &arena_.make(FormulaKind::grad_input_mask, type, name.span);
  }
  if (name.text == "grads") {
    sink_.error(Code::type_mismatch, name.span, "'grads' can only be indexed, as in 'grads[0]'");
    return nullptr;
  }
  return output_name(name);
}

const FormulaNode* NamesInScope::output_name(const SyntaxNode& name) {
  const Schema& schema = *scope_.schema;
  if (name.text == "result" && schema.returns.size() == 1)
    return output(FormulaKind::result, 0, name);
  for (size_t i = 0; i < schema.returns.size(); ++i) {
    if (schema.returns[i].name == name.text) return output(FormulaKind::result, i, name);
  }
  if (std::optional<size_t> i = numbered_result(name.text)) {
    if (*i < schema.returns.size()) return output(FormulaKind::result, *i, name);
    sink_
        .error(Code::out_of_bounds, name.span,
               fmt::format("'{}' has {} output{}: there is no '{}'", schema.full_name(),
                           schema.returns.size(), schema.returns.size() == 1 ? "" : "s", name.text))
        .note(schema.span, "it is declared here");
    return nullptr;
  }
  return unknown(name);
}

const FormulaNode* NamesInScope::output(FormulaKind kind, size_t index, const SyntaxNode& node) {
  const Schema& schema = *scope_.schema;
  Type type = index < schema.returns.size() ? schema.returns[index].type : Type{};
  // The gradient of a list of tensors is a list.
  FormulaNode& made = arena_.make(kind, type, node.span);
  made.index = static_cast<uint16_t>(index);
  return &made;
}

bool NamesInScope::is_grads(const SyntaxNode& node) const {
  return scope_.is_derivative && node.kind == SyntaxKind::identifier && node.text == "grads";
}

const FormulaNode* NamesInScope::gradient(const SyntaxNode& access) {
  const SyntaxNode& index = *access.operands[1];
  std::optional<Constant> number;
  if (index.kind == SyntaxKind::number) number = schema::parse_number(index.text);
  if (!number || number->kind != Constant::Kind::integer) {
    sink_.error(Code::type_mismatch, index.span, "the index of 'grads' must be a whole number");
    return nullptr;
  }
  const Schema& schema = *scope_.schema;
  const auto value = static_cast<size_t>(number->integer);  // there is no sign in it
  if (value < schema.returns.size()) return output(FormulaKind::gradient, value, access);
  sink_
      .error(Code::out_of_bounds, index.span,
             fmt::format("'{}' has {} output{}: there is no 'grads[{}]'", schema.full_name(),
                         schema.returns.size(), schema.returns.size() == 1 ? "" : "s", value))
      .note(schema.span, "it is declared here");
  return nullptr;
}

const FormulaNode* NamesInScope::unknown(const SyntaxNode& name) {
  Suggester suggester(name.text);
  const Schema& schema = *scope_.schema;
  std::vector<std::string> tangents;
  for (const Argument& argument : schema.arguments) {
    suggester.offer(argument.name);
    if (scope_.is_forward && argument.type.is_tensor_like()) {
      for (const char* suffix : {"_t", "_p"}) tangents.push_back(argument.name + suffix);
    }
  }
  for (const std::string& known : tangents) suggester.offer(known);
  for (const auto locals : {scope_.locals, scope_.parts}) {
    for (const FormulaLocal& named : locals) suggester.offer(named.name);
  }
  for (const char* known : {"true", "false", "none"}) suggester.offer(known);
  for (std::string_view known : all_value_names()) suggester.offer(known);
  if (scope_.is_derivative) {
    for (std::string_view known : {"grad", "grads", "grad_input_mask"}) suggester.offer(known);
  }
  if (scope_.is_derivative || scope_.is_forward) {
    for (size_t i = 0; i < schema.returns.size(); ++i) suggester.offer(result_name(schema, i));
  }
  const std::string_view dtype = dtype_called(name.text);
  sink_.error(Code::unknown_name, name.span, fmt::format("unknown name '{}'", name.text))
      .suggest(dtype.empty() ? suggester.best() : std::string(dtype));
  return nullptr;
}

}  // namespace opweave::codegen
