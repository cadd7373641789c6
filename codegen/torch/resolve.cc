// Looks up values, functions, methods and types.
#include "codegen/torch/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "codegen/diagnostics/suggest.h"

namespace opweave::codegen::torch {
namespace {

// C++ has a second function for symbolic sizes: `narrow_symint` is the operator `narrow`.
std::string_view operator_name(std::string_view name) {
  constexpr std::string_view kSymbolic = "_symint";
  if (name.ends_with(kSymbolic)) name.remove_suffix(kSymbolic.size());
  return name;
}

std::string without_templates(const CppName& name) {
  std::string text;
  for (const CppSegment& segment : name.segments) {
    if (!text.empty()) text += "::";
    text += segment.text;
  }
  return text;
}

// The number behind a prefix: 2 of `result2`. Nothing if it is none.
std::optional<size_t> numbered(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return {};
  name.remove_prefix(prefix.size());
  size_t number = 0;
  const auto parsed = std::from_chars(name.data(), name.data() + name.size(), number);
  if (name.empty() || parsed.ec != std::errc() || parsed.ptr != name.data() + name.size())
    return {};
  return number;
}

bool is_foreach(const Schema& schema) { return schema.base_name.starts_with("_foreach_"); }

// `kCudnnDoubleBackwardMsg`: only a header can tell whether there is such a constant.
bool is_constant(std::string_view name) {
  return name.size() > 1 && name[0] == 'k' && name[1] >= 'A' && name[1] <= 'Z';
}

bool is_result(const Schema& schema, std::string_view name) {
  if (name == "result") return !schema.returns.empty();
  if (const auto index = numbered(name, "result")) return *index < schema.returns.size();
  return std::ranges::any_of(schema.returns, [&](const Return& r) { return r.name == name; });
}

bool is_tensor_argument(const Schema& schema, std::string_view name) {
  const int index = schema.find_argument(name);
  return index >= 0 && schema.arguments[index].type.is_tensor_like();
}

// `self_p` and `self_t` of a forward derivative: the value and its tangent.
bool is_dual(const Schema& schema, std::string_view name) {
  if (!name.ends_with("_p") && !name.ends_with("_t")) return false;
  name.remove_suffix(2);
  return name == "original_self" || is_tensor_argument(schema, name);
}

}  // namespace

bool FormulaScope::contains(std::string_view name) const {
  const Schema& schema = function->schema;
  if (schema.find_argument(name) >= 0 || is_result(schema, name)) return true;
  if (name == "i") return is_foreach(schema);  // one formula for every element of a list
  if (is_forward) return is_dual(schema, name);
  const bool is_gradient = name.starts_with("grad_") && is_result(schema, name.substr(5));
  return is_gradient || name == "grad" || name == "grads" || name == "grad_input_mask" ||
         name == "retain_variables";
}

std::vector<std::string> FormulaScope::names() const {
  std::vector<std::string> names = {"result"};
  for (const Argument& argument : function->schema.arguments) {
    names.push_back(argument.name);
    if (!is_forward || !argument.type.is_tensor_like()) continue;
    names.push_back(argument.name + "_p");
    names.push_back(argument.name + "_t");
  }
  for (const Return& result : function->schema.returns) {
    if (result.name.empty()) continue;
    names.push_back(result.name);
    if (!is_forward) names.push_back("grad_" + result.name);
  }
  if (!is_forward)
    names.insert(names.end(), {"grad", "grads", "grad_input_mask", "retain_variables"});
  return names;
}

void Resolver::resolve(const CppNode& formula, const FormulaScope& scope) {
  scope_ = &scope;
  locals_.clear();
  walk(formula);
}

void Resolver::walk(const CppNode& node) {
  switch (node.kind) {
    case CppKind::name:
      return check_value(*node.name);
    case CppKind::call:
      return walk_call(node);
    case CppKind::index:
      return walk_index(node);
    case CppKind::lambda:
      return walk_lambda(node);
    case CppKind::member:
      check_method(node);
      break;
    case CppKind::braces:
      if (node.name) check_type({.name = *node.name});
      break;
    default:
      break;
  }
  for (const CppNode* operand : node.operands) walk(*operand);
}

void Resolver::walk_call(const CppNode& node) {
  const CppNode& callee = *node.operands[0];
  if (callee.kind == CppKind::name) {
    check_function(*callee.name);
  } else {
    walk(callee);
  }
  for (size_t i = 1; i < node.operands.size(); ++i) walk(*node.operands[i]);
}

void Resolver::walk_index(const CppNode& node) {
  walk(*node.operands[0]);
  walk(*node.operands[1]);
  const CppNode& value = *node.operands[0];
  const CppNode& index = *node.operands[1];
  const size_t outputs = scope_->function->schema.returns.size();
  const bool is_gradients = value.kind == CppKind::name && !value.name->is_qualified() &&
                            value.name->last().text == "grads";
  if (!is_gradients || index.kind != CppKind::number || is_foreach(scope_->function->schema))
    return;
  const auto number = numbered(index.text, "");
  if (!number || *number < outputs) return;
  sink_.error(Code::out_of_bounds, index.span,
              fmt::format("'grads[{}]', but '{}' has {} output{}", index.text,
                          scope_->function->full_name, outputs, outputs == 1 ? "" : "s"));
}

void Resolver::walk_lambda(const CppNode& node) {
  const size_t outer = locals_.size();
  for (const CppParameter& parameter : node.lambda->parameters) {
    check_type(parameter.type);
    locals_.push_back(parameter.name);
  }
  if (node.lambda->returns) check_type(*node.lambda->returns);
  walk(*node.operands[0]);
  locals_.resize(outer);
}

bool Resolver::is_operator(std::string_view name) const {
  return functions_.has_base_name(operator_name(name));
}

// Whether PyTorch's C++ API or a header has the name.
bool Resolver::is_known(const CppName& name) const {
  return is_cpp_name(without_templates(name)) || headers_.contains(name.last().text);
}

void Resolver::check_value(const CppName& name) {
  check_templates(name);
  if (name.is_qualified()) return check_qualified(name);
  const std::string_view text = name.last().text;
  const bool is_local = std::ranges::find(locals_, text) != locals_.end();
  if (is_local || scope_->contains(text) || is_known(name)) return;
  if (is_constant(text) && !headers_.has_headers()) {
    unchecked_.insert(text);
    return;
  }
  sink_
      .error(Code::unknown_name, name.span,
             fmt::format("unknown name '{}' in {} of '{}'", text,
                         scope_->is_forward ? "a forward derivative" : "a gradient",
                         scope_->function->full_name))
      .suggest(closest(text, scope_->names()));
}

void Resolver::check_function(const CppName& name) {
  check_templates(name);
  if (name.is_qualified()) return check_qualified(name);
  const std::string_view text = name.last().text;
  if (is_operator(text) || is_known(name)) return;
  if (!headers_.has_headers()) {
    unchecked_.insert(text);
    return;
  }
  Suggester suggester(text);
  for (const std::string_view known : functions_.base_names()) suggester.offer(known);
  for (const std::string_view known : headers_.all()) suggester.offer(known);
  sink_
      .error(Code::unknown_function, name.span,
             fmt::format("unknown function '{}': neither an operator nor in a header", text))
      .suggest(suggester.best());
}

void Resolver::check_qualified(const CppName& name) {
  const bool in_at = name.segments.size() == 2 && name.segments[0].text == "at";
  if ((in_at && is_operator(name.last().text)) || is_known(name)) return;
  const std::string text = without_templates(name);
  Suggester suggester(text);
  for (const std::string_view known : cpp_names()) suggester.offer(known);
  if (in_at) {
    for (const std::string_view known : functions_.base_names())
      suggester.offer("at::" + std::string(known));
  }
  if (!headers_.has_headers() && in_at && suggester.best().empty()) {
    unchecked_.insert(name.last().text);
    return;
  }
  sink_.error(Code::unknown_name, name.span, fmt::format("unknown name '{}'", text))
      .suggest(suggester.best());
}

void Resolver::check_type(const CppType& type) {
  if (!type.number.empty()) return;
  check_templates(type.name);
  if (is_known(type.name)) return;
  const std::string text = without_templates(type.name);
  sink_.error(Code::unknown_type, type.name.span, fmt::format("unknown type '{}'", text))
      .suggest(closest(text, cpp_names()));
}

void Resolver::check_templates(const CppName& name) {
  for (const CppSegment& segment : name.segments) {
    for (const CppType& argument : segment.arguments) check_type(argument);
  }
}

void Resolver::check_method(const CppNode& member) {
  const std::string_view name = member.text;
  if (functions_.has_method(operator_name(name)) || is_cpp_member(name) || headers_.contains(name))
    return;
  Suggester suggester(name);
  for (const std::string_view known : functions_.methods()) suggester.offer(known);
  for (const std::string_view known : cpp_members()) suggester.offer(known);
  sink_.error(Code::unknown_function, member.name_span, fmt::format("unknown method '{}'", name))
      .suggest(suggester.best());
}

}  // namespace opweave::codegen::torch
