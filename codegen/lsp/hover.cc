// Markdown about operators, arguments, keys and functions.
#include "codegen/lsp/hover.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "codegen/emit/python/python_face.h"
#include "codegen/emit/text/signature.h"
#include "codegen/expr/intrinsics.h"
#include "codegen/lsp/places.h"
#include "codegen/lsp/signatures.h"
#include "codegen/math/operator_math.h"
#include "codegen/model/declarations/kernel_words.h"

namespace opweave::codegen::lsp {
namespace {

namespace fs = std::filesystem;

std::string fenced(std::string_view language, const std::string& text) {
  return text.empty()
             ? ""
             : fmt::format("```{}\n{}{}```\n\n", language, text, text.ends_with('\n') ? "" : "\n");
}

std::string computation(const Operator& op) {
  switch (op.computation->implementation) {
    case Implementation::expr:
      return "expr";
    case Implementation::composite:
      return "composite";
    case Implementation::kernels:
      return fmt::format("kernels: {}", fmt::join(op.computation->targets, ", "));
    case Implementation::derived:
      return fmt::format("derived from `{}`", op.forms->functional->name.full);
  }
  return "";
}

// What it computes.
std::string value(const Operator& op) {
  const Math math = value_math(op);
  if (math == nullptr) return "";
  std::string text = math_text(*math);
  if (op.formulas->composite == nullptr) return fenced("", text);
  for (const Math& part : where_math(op, {math})) text += "\nwhere " + math_text(*part);
  return fenced("", text);
}

// Of one argument, or of all.
std::string gradients(const Operator& op, std::optional<uint16_t> argument) {
  std::string lines;
  for (const GradientMath& gradient : gradient_math(op)) {
    if (!argument || std::ranges::count(gradient.arguments, *argument) > 0)
      lines += math_text(*gradient.equation) + "\n";
  }
  return fenced("", lines);
}

std::string tangent_lines(const Operator& op) {
  std::string lines;
  for (const Math& equation : forward_math(op)) lines += math_text(*equation) + "\n";
  return fenced("", lines);
}

// Of its results, in forward mode.
std::string tangents(const Operator& op) {
  const std::string source = forward_source(op);
  return source.empty() ? "" : fmt::format("Forward mode: {}\n\n", source) + tangent_lines(op);
}

// What its results look like.
std::string results(const Operator& op) {
  if (op.rule != nullptr && op.rule->data)
    return "Results: the elements decide what they look like\n\n";
  std::string lines;
  const std::vector<Math> shapes = shape_math(op);
  for (const Math& equation : shapes) lines += math_text(*equation) + "\n";
  for (const Math& value : where_math(op, shapes)) lines += "where " + math_text(*value) + "\n";
  return lines.empty() ? "" : "Results:\n\n" + fenced("", lines);
}

std::string links(std::string_view what, const std::vector<Location>& locations,
                  const std::string& root) {
  std::vector<std::string> names;
  for (const Location& location : locations)
    names.push_back("`" + fs::path(location.path).lexically_relative(root).string() + "`");
  return names.empty() ? "" : fmt::format("{}: {}\n\n", what, fmt::join(names, ", "));
}

std::string operator_text(const Operator& op, const Model& model) {
  const std::string root = fs::path(op.origin.span.source->path()).parent_path().string();
  std::string text = fmt::format("**{}** · {}\n\n", op.name.full, computation(op));
  if (!op.face->doc.empty()) text += op.face->doc + "\n\n";
  text += value(op);
  text += results(op);
  text += fenced("cpp", cpp_signatures(op));
  text += fenced("python", python_signatures(op, model));
  text += fmt::format("Gradient: {}\n\n", gradient_source(op)) + gradients(op, {});
  text += tangents(op);
  text += links("Kernels", kernels_of(op, root), root);
  return text + links("Tests", tests_of(op, root), root);
}

std::string key_text(const Key& key) {
  std::string text = fmt::format("**{}**\n\n{}\n\n", key.name, key.doc);
  if (key.presence == Presence::required) text += "Every entry has it.\n\n";
  if (key.presence == Presence::computes)
    text += "Every operator has exactly one of `expr`, `composite` and `kernels`.\n\n";
  if (!key.words.empty()) text += fmt::format("Words: `{}`\n", fmt::join(key.words, "`, `"));
  for (const Key& field : key.fields) text += fmt::format("\n- `{}`: {}", field.name, field.doc);
  return text;
}

// A word that a key takes: of `kernels` what the target is.
std::string value_text(const View& view, const Cursor& cursor) {
  if (cursor.key->names == Names::targets) {
    if (const KernelWord* word = find_kernel_word(cursor.word))
      return fmt::format("**{}** · a word of `{}`\n\n{}", word->name, cursor.key->name, word->doc);
    for (const KnownTarget& target : view.workspace.targets(view.path)) {
      if (target.name == cursor.word)
        return fmt::format("**{}** · a target\n\n{}", target.name, target.doc);
    }
  }
  return fmt::format("**{}** · a value of `{}`\n\n{}", cursor.word, cursor.key->name,
                     cursor.key->doc);
}

std::string intrinsic_text(const Intrinsic& function) {
  std::string text = fmt::format("**{}** · a function of expressions\n\n", function.name);
  if (function.needs_float) text += "Makes floats of integers.\n\n";
  if (function.derivatives[0].empty()) return text;
  std::string lines = fmt::format("∂/∂x = {}\n", function.derivatives[0]);
  if (function.arity == 2) lines += fmt::format("∂/∂y = {}\n", function.derivatives[1]);
  return text + "Derivative, with `r` the result:\n\n" + fenced("", lines);
}

// Of an argument its face in both languages, and its gradient.
std::string argument_text(const Operator& op, std::string_view name) {
  const int index = op.schema.find_argument(name);
  if (index < 0) return "";
  const Argument& argument = op.schema.arguments[index];
  std::string text = fmt::format("`{}` · an argument of `{}`\n\n", print(argument), op.name.full);
  const Parameter parameter = signature_of(op).parameters[index];
  text += fenced("cpp", fmt::format("{} {}", parameter.type, parameter.name));
  const std::string value = argument.default_value ? " = " + python_default(argument) : "";
  text += fenced("python", fmt::format("{}: {}{}", argument.name,
                                       python_type({argument.name, &argument}), value));
  return text + gradients(op, static_cast<uint16_t>(index));
}

std::string function_text(const View& view, const Cursor& cursor) {
  std::string text;
  const bool in_expr = cursor.field->key.of(view.text) == "expr";
  const Intrinsic* intrinsic = in_expr ? find_intrinsic(cursor.word) : nullptr;
  if (intrinsic != nullptr) text = intrinsic_text(*intrinsic);
  for (const Operator* op : operators_at(view, cursor)) {
    text += (text.empty() ? "" : "---\n\n") + operator_text(*op, *view.model);
  }
  return text;
}

bool is_result(const Operator& op, std::string_view word) {
  return word.starts_with("result") ||
         std::ranges::any_of(op.schema.returns, [&](const Return& r) { return r.name == word; });
}

// Words of forward rules.
std::string forward_text(const Operator& op, std::string_view word) {
  if (word == "auto_linear" || word == "auto_element_wise")
    return fmt::format("**{}** · a forward rule: {}\n\n", word, forward_source(op)) +
           tangent_lines(op);
  if (word.size() < 3 || (!word.ends_with("_t") && !word.ends_with("_p"))) return "";
  const std::string_view name = word.substr(0, word.size() - 2);
  if (op.schema.find_argument(name) < 0) return "";
  return fmt::format("**{}** · the {} of `{}`, an argument of `{}`\n", word,
                     word.ends_with("_t") ? "tangent" : "value", name, op.name.full);
}

// Of an argument, or of a result whose forward rule begins here.
std::string line_text(const Operator& op, std::string_view word) {
  const std::string text = argument_text(op, word);
  if (!text.empty() || !is_result(op, word)) return text;
  return fmt::format("**{}** · the tangent of what `{}` returns\n\n", word, op.name.full) +
         tangent_lines(op);
}

std::string other_text(const View& view, const Cursor& cursor) {
  const Operator* op = operator_of(view, *cursor.entry);
  if (op == nullptr || view.outline.keys != &derivative_keys()) return "";
  if (cursor.word == "grad" || cursor.word == "grads")
    return fmt::format("**{}** · the gradient of what `{}` returns\n", cursor.word, op->name.full);
  if (cursor.word == "grad_input_mask")
    return "**grad_input_mask** · which of the inputs of this formula need a gradient\n";
  if (is_result(*op, cursor.word))
    return fmt::format("**{}** · what `{}` returned\n", cursor.word, op->name.full);
  return forward_text(*op, cursor.word);
}

}  // namespace

std::string hover_text(const View& view, const Cursor& cursor) {
  switch (cursor.kind) {
    case Cursor::Kind::key:
      return key_text(*cursor.key);
    case Cursor::Kind::value:
      return value_text(view, cursor);
    case Cursor::Kind::name: {
      const Operator* op = operator_of(view, *cursor.entry);
      return op == nullptr ? "" : operator_text(*op, *view.model);
    }
    case Cursor::Kind::argument: {
      const Operator* op = operator_of(view, *cursor.entry);
      return op == nullptr ? "" : line_text(*op, cursor.word);
    }
    case Cursor::Kind::function:
      return function_text(view, cursor);
    case Cursor::Kind::other:
      return other_text(view, cursor);
    case Cursor::Kind::nothing:
      break;
  }
  return "";
}

}  // namespace opweave::codegen::lsp
