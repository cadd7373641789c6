// The rules of formulas.
#include "codegen/torch/gradient_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "codegen/model/entries/fields.h"

namespace opweave::codegen::torch {
namespace {

constexpr std::string_view kElementWise = "auto_element_wise", kLinear = "auto_linear";

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

Span span_of(const LocatedText& text, size_t begin, size_t size) {
  return text.span(static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + size));
}

// The words `grad`, `grads` and `grad_NAME` of the formulas.
struct GradientWords {
  const NativeFormula *grad = nullptr, *grads = nullptr, *named = nullptr;
  bool only_first = true;  // `grads` is `grads[0]` everywhere
};

class GradientRules {
 public:
  explicit GradientRules(const GradientBlock& block)
      : block_(block), function_(*block.entry.function) {
    for (const NativeFormula& formula : block.entry.formulas) {
      if (formula.dispatch_key != block.dispatch_key) continue;
      if (formula.is_forward) {
        forward_.push_back(&formula);
      } else if (is_gradient(formula)) {
        gradients_.push_back(&formula);
        for (const LocatedText& name : split_words(formula.key)) {
          if (!with_gradient_.insert(name.text).second) repeated_ = name;
        }
      } else {
        for (const LocatedText& name : split_words(formula.key)) without_.insert(name.text);
      }
    }
  }

  bool check() const {
    return check_keys() && check_texts() && check_words() && check_ignored() && check_forward() &&
           check_automatic() && check_count();
  }

 private:
  bool fail(Code code, Span span, const std::string& message, const std::string& advice) const {
    block_.sink.error(code, span, message).note({}, advice);
    return false;
  }

  const Argument* argument(std::string_view name) const {
    const int index = function_.schema.find_argument(name);
    return index < 0 ? nullptr : &function_.schema.arguments[static_cast<size_t>(index)];
  }

  bool check_keys() const {
    for (const NativeFormula& formula : block_.entry.formulas) {
      if (formula.dispatch_key != block_.dispatch_key) continue;
      for (const LocatedText& name : split_words(formula.key)) {
        if (!check_key(formula, name)) return false;
      }
    }
    return true;
  }

  bool check_key(const NativeFormula& formula, const LocatedText& name) const {
    const Argument* input = argument(name.text);
    const auto& returns = function_.schema.returns;
    const auto named = [&](const Return& r) { return r.name == name.text; };
    if (input && std::ranges::any_of(returns, named)) {
      return fail(
          Code::names_collide, name.whole(),
          fmt::format("'{}' is an argument and a result of '{}'", name.text, function_.full_name),
          "give one of the two another name");
    }
    if (formula.is_forward) return check_result(name);
    if (!is_gradient(formula)) return true;
    if (input && !input->type.is_tensor_like()) {
      return fail(Code::not_differentiable_input, name.whole(),
                  fmt::format("'{}' of '{}' is no tensor, and has a gradient", name.text,
                              function_.full_name),
                  "leave the line out");
    }
    if (repeated_.source && repeated_.text == name.text) {
      return fail(Code::duplicate_derivative, repeated_.whole(),
                  fmt::format("'{}' of '{}' has two gradients", name.text, function_.full_name),
                  "leave one of the two out");
    }
    if (!without_.contains(name.text)) return true;
    return fail(Code::conflicting_statements, name.whole(),
                fmt::format("'{}' of '{}' has a gradient, and is non_differentiable", name.text,
                            function_.full_name),
                "leave one of the two out");
  }

  bool check_result(const LocatedText& name) const {
    const auto& returns = function_.schema.returns;
    const size_t outputs = returns.size();
    const auto named = [&](const Return& r) { return r.name == name.text; };
    if (name.text == "result" && outputs != 1 && std::ranges::none_of(returns, named)) {
      return fail(Code::unknown_argument, name.whole(),
                  fmt::format("'{}' has {} results, of which 'result' is none", function_.full_name,
                              outputs),
                  "write its name, or: result0");
    }
    return true;
  }

  // What symbolic sizes have other functions for.
  bool check_texts() const {
    for (const NativeFormula* formula : gradients_) {
      for (const std::string_view what : {"sizes()", "strides()", "size("}) {
        for (const std::string_view access : {".", "->"}) {
          const auto span = find_text(formula->text, std::string(access) + std::string(what));
          if (!span || (what == "size(" && !is_number_behind(*formula, *span))) continue;
          const size_t skip = access.size();
          const Span word{span->source, span->begin + static_cast<uint32_t>(skip), span->end};
          return fail(Code::unknown_function, word,
                      fmt::format("'{}' is not there in formulas, whose sizes are symbolic",
                                  what.substr(0, what.find('('))),
                      fmt::format("write: {}sym_{}", access, what));
        }
      }
      if (!check_strides(*formula)) return false;
    }
    return true;
  }

  static bool is_number_behind(const NativeFormula& formula, const Span& span) {
    const std::string_view file = formula.text.source->text();
    std::string_view rest = file.substr(span.end, file.find(')', span.end) - span.end);
    if (rest.starts_with('-')) rest.remove_prefix(1);
    return !rest.empty() && rest.find_first_not_of("0123456789") == std::string_view::npos;
  }

  bool check_strides(const NativeFormula& formula) const {
    for (const Argument& input : function_.schema.arguments) {
      if (split_words(formula.key).size() == 1 && names_argument(formula, input.name)) continue;
      const auto span = find_text(formula.text, input.name + ".sym_strides()");
      if (!span) continue;
      return fail(
          Code::conflicting_statements, *span,
          fmt::format("strides of '{}' are kept for its own gradient alone", input.name),
          fmt::format("'{}' is for the gradient of '{}'", formula.text.text, formula.key.text));
    }
    return true;
  }

  bool is_differentiable(size_t output) const {
    const auto& outputs = block_.entry.outputs;
    return function_.schema.returns[output].type.is_tensor_like() &&
           (!outputs || output >= outputs->size() || (*outputs)[output]);
  }

  GradientWords words() const {
    GradientWords found;
    for (const NativeFormula* formula : gradients_) {
      if (find_word(formula->text, "grad")) found.grad = formula;
      for (size_t i = 0; i < function_.schema.returns.size(); ++i) {
        const std::string& name = function_.schema.returns[i].name;
        const bool known = !name.empty() && is_differentiable(i);
        if (known && find_word(formula->text, "grad_" + name)) found.named = formula;
      }
      if (!find_word(formula->text, "grads")) continue;
      found.grads = formula;
      found.only_first &= only_first(formula->text.text);
    }
    found.only_first &= found.grads != nullptr;
    return found;
  }

  static bool only_first(std::string_view text) {
    constexpr std::string_view kWord = "grads", kFirst = "grads[0]";
    for (size_t at = 0; (at = text.find(kWord, at)) != std::string_view::npos; at += kWord.size()) {
      const bool is_word =
          (at == 0 || !is_word_character(text[at - 1])) &&
          (at + kWord.size() == text.size() || !is_word_character(text[at + kWord.size()]));
      if (is_word && !text.substr(at).starts_with(kFirst)) return false;
    }
    return true;
  }

  // One way of naming gradients for the whole entry.
  bool check_words() const {
    const GradientWords found = words();
    const auto place = [](const NativeFormula* formula, std::string_view word) {
      return find_word(formula->text, word).value_or(formula->text.whole());
    };
    if (found.grad && found.grads) {
      return fail(
          Code::conflicting_statements, place(found.grad, "grad"),
          fmt::format("the formulas of '{}' have both 'grad' and 'grads'", function_.full_name),
          "write: grads[0]");
    }
    if (found.only_first) {
      return fail(Code::conflicting_statements, place(found.grads, "grads"),
                  fmt::format("the formulas of '{}' have 'grads[0]' alone", function_.full_name),
                  "write: grad");
    }
    if (!found.named || (!found.grad && !found.grads)) return true;
    const NativeFormula* other = found.grad ? found.grad : found.grads;
    return fail(Code::conflicting_statements, place(other, found.grad ? "grad" : "grads"),
                fmt::format("the formulas of '{}' name gradients by their results, and by '{}'",
                            function_.full_name, found.grad ? "grad" : "grads"),
                "use one of the two ways");
  }

  size_t differentiable_outputs() const {
    size_t count = 0;
    for (size_t i = 0; i < function_.schema.returns.size(); ++i) {
      const bool left_out = without_.contains(function_.schema.returns[i].name);
      count += is_differentiable(i) && (block_.entry.outputs || !left_out) ? 1 : 0;
    }
    if (!block_.entry.outputs && words().grad) count = std::min<size_t>(count, 1);
    return count;
  }

  bool check_ignored() const {
    if (gradients_.empty() || function_.schema.returns.empty() || differentiable_outputs() > 0)
      return true;
    return fail(Code::derivative_conflict, gradients_[0]->key.whole(),
                fmt::format("'{}' has a gradient, and no output that has one", function_.full_name),
                "leave the line out, or 'output_differentiability'");
  }

  bool is_formula(const NativeFormula& formula) const {
    return formula.text.text != kElementWise && formula.text.text != kLinear;
  }

  bool check_forward() const {
    for (const NativeFormula* formula : forward_) {
      if (!is_formula(*formula)) continue;
      if (!check_values(*formula) || !check_tangents(*formula)) return false;
    }
    return true;
  }

  bool check_values(const NativeFormula& formula) const {
    for (const Argument& input : function_.schema.arguments) {
      if (!with_gradient_.contains(input.name)) continue;
      if (input.type.is_tensor_list() && !function_.name.base.starts_with("_foreach_")) continue;
      if (const auto span = find_word(formula.text, input.name)) {
        return fail(Code::bad_forward_rule, *span,
                    fmt::format("'{}' is its value or its tangent", input.name),
                    fmt::format("write: {0}_p for the value, {0}_t for the tangent", input.name));
      }
    }
    if (function_.kind != SchemaKind::in_place) return true;
    if (const auto span = find_word(formula.text, "self_p")) {
      return fail(Code::bad_forward_rule, *span,
                  fmt::format("'{}' works in place: the value of 'self' is not there any more",
                              function_.full_name),
                  "write: result");
    }
    return true;
  }

  bool check_tangents(const NativeFormula& formula) const {
    size_t inputs = 0, lists = 0;
    for (const std::string_view name : with_gradient_) {
      const Argument* input = argument(name);
      if (!input) continue;
      ++inputs;
      lists += input->type.is_tensor_list() ? 1 : 0;
      if (find_word(formula.text, std::string(name) + "_t")) return true;
    }
    if (inputs == 1 && lists == 1) return true;
    if (gradients_.empty()) {
      return fail(Code::bad_forward_rule, formula.key.whole(),
                  fmt::format("'{}' has a forward derivative and no gradient", function_.full_name),
                  "write the gradient of an argument, or leave the line out");
    }
    return fail(
        Code::bad_forward_rule, formula.text.whole(),
        fmt::format("this forward derivative of '{}' has no tangent in it", function_.full_name),
        with_gradient_.empty() ? "it is linear in tangents"
                               : fmt::format("such as: {}_t", *with_gradient_.begin()));
  }

  // Forward derivatives that are made of the gradient, or of the operator.
  bool check_automatic() const {
    for (const NativeFormula* formula : forward_) {
      const std::string_view word = formula->text.text;
      if (word != kElementWise && word != kLinear) continue;
      if (word == kElementWise && function_.kind == SchemaKind::in_place) {
        return bad_automatic(*formula, "works in place", "write a formula");
      }
      if (forward_.size() > 1 || split_words(formula->key).size() > 1)
        return bad_automatic(*formula, "has several outputs", "write a formula for each of them");
      if (word == kElementWise && (with_gradient_.size() != 1 || gradients_.size() != 1)) {
        return bad_automatic(*formula,
                             fmt::format("has {} inputs with a gradient", with_gradient_.size()),
                             "it is for one: write a formula");
      }
      if (with_gradient_.empty())
        return bad_automatic(*formula, "has no input with a gradient", "write one, or a formula");
    }
    return true;
  }

  bool bad_automatic(const NativeFormula& formula, const std::string& why,
                     const std::string& advice) const {
    return fail(
        Code::bad_forward_rule, formula.text.whole(),
        fmt::format("'{}' {}, which '{}' is not for", function_.full_name, why, formula.text.text),
        advice);
  }

  bool check_count() const {
    if (forward_.empty()) return true;
    size_t given = 0;
    for (const NativeFormula* formula : forward_) given += split_words(formula->key).size();
    const size_t wanted = differentiable_outputs();
    if (given == wanted) return true;
    return fail(Code::bad_forward_rule, forward_[0]->key.whole(),
                fmt::format("'{}' has forward derivatives of {} outputs, and {} that {} one",
                            function_.full_name, given, wanted, wanted == 1 ? "has" : "have"),
                "write one for each, or none; 'grad' in a gradient says that one output has it");
  }

  const GradientBlock& block_;
  const NativeFunction& function_;
  std::vector<const NativeFormula*> forward_, gradients_;
  std::set<std::string_view> with_gradient_, without_;
  LocatedText repeated_;  // an argument with a second gradient
};

}  // namespace

bool is_gradient(const NativeFormula& formula) {
  return !formula.is_forward && formula.text.text != "non_differentiable";
}

bool names_argument(const NativeFormula& formula, std::string_view name) {
  const std::vector<LocatedText> names = split_words(formula.key);
  return std::ranges::find(names, name, &LocatedText::text) != names.end();
}

std::optional<Span> find_word(const LocatedText& text, std::string_view word) {
  for (size_t at = 0; (at = text.text.find(word, at)) != std::string_view::npos; ++at) {
    const size_t end = at + word.size();
    const bool begins = at == 0 || !is_word_character(text.text[at - 1]);
    const bool ends = end == text.text.size() || !is_word_character(text.text[end]);
    if (begins && ends) return span_of(text, at, word.size());
  }
  return {};
}

std::optional<Span> find_text(const LocatedText& text, std::string_view part) {
  for (size_t at = 0; (at = text.text.find(part, at)) != std::string_view::npos; ++at) {
    const bool is_name = is_word_character(part[0]);
    if (!is_name || at == 0 || !is_word_character(text.text[at - 1]))
      return span_of(text, at, part.size());
  }
  return {};
}

bool check_gradients(const GradientBlock& block) { return GradientRules(block).check(); }

}  // namespace opweave::codegen::torch
