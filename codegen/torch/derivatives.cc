// Reads PyTorch's derivatives.yaml.
#include "codegen/torch/derivatives.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/diagnostics/suggest.h"
#include "codegen/model/entries/fields.h"
#include "codegen/torch/resolve.h"

namespace opweave::codegen::torch {
namespace {

constexpr std::string_view kDefault = "Default";
constexpr std::string_view kInputWords[] = {"non_differentiable", "not_differentiable"};
constexpr std::string_view kResultWords[] = {"auto_linear", "auto_element_wise"};

bool is_word(const NativeFormula& formula) {
  auto is_one_of = [&](const auto& words) {
    return std::ranges::find(words, formula.text.text) != std::end(words);
  };
  return formula.is_forward ? is_one_of(kResultWords) : is_one_of(kInputWords);
}

class DerivativeReader {
 public:
  DerivativeReader(const NativeFunctions& functions, const CppNames& headers, CppArena& arena,
                   DiagnosticSink& sink)
      : functions_(functions),
        arena_(arena),
        sink_(sink),
        fields_(sink),
        resolver_(functions, headers, sink) {}

  void read(const YamlNode& node) {
    entry_ = {};
    if (!read_name(node)) return;
    read_lines(node, kDefault);
    result_.entries.push_back(std::move(entry_));
  }

  NativeDerivatives finish() {
    result_.helpers = resolver_.unchecked().size();
    return std::move(result_);
  }

 private:
  bool read_name(const YamlNode& node) {
    for (const YamlNode::Entry& field : node.entries) {
      if (field.key.text != "name") continue;
      const auto text = fields_.text(field.key, *field.value);
      if (!text) return false;
      auto schema = parse_schema(*text, sink_);
      return schema && find_function(std::move(*schema));
    }
    const Span span = node.entries.empty() ? node.span : node.entries[0].key.whole();
    sink_.error(Code::missing_key, span, "this entry has no 'name': the operator it is for");
    return false;
  }

  bool find_function(Schema schema) {
    const std::string name = schema.full_name();
    entry_.function = functions_.find(name);
    if (!entry_.function && functions_.is_generated(name)) {
      entry_.function = &result_.generated.emplace_back(NativeFunction{std::move(schema), name});
      return true;
    }
    if (!entry_.function) {
      Suggester suggester(name);
      for (const NativeFunction& known : functions_.all()) suggester.offer(known.full_name);
      sink_
          .error(Code::unknown_operator, schema.name_span,
                 fmt::format("there is no operator '{}'", name))
          .suggest(suggester.best());
      return false;
    }
    if (print(schema) == print(entry_.function->schema)) return true;
    sink_
        .error(Code::conflicting_statements, schema.span,
               fmt::format("the schema of '{}' is not that of the operator", name))
        .note(entry_.function->schema.span, "the operator has this one");
    return false;
  }

  void read_lines(const YamlNode& node, std::string_view dispatch_key) {
    for (const YamlNode::Entry& field : node.entries) {
      const std::string_view key = field.key.text;
      if (key == "name" && dispatch_key == kDefault) continue;
      if (key == "output_differentiability") {
        read_outputs(field.key, *field.value);
      } else if (key == "dispatch") {
        read_dispatch(field.key, *field.value);
      } else {
        read_formula(field.key, *field.value, dispatch_key);
      }
    }
  }

  void read_dispatch(const LocatedText& key, const YamlNode& value) {
    if (!value.is_map()) {
      sink_.error(
          Code::wrong_kind, value.is_null() ? key.whole() : value.span,
          fmt::format("'dispatch' must be a mapping of dispatch keys, not {}", kind_name(value)));
      return;
    }
    for (const YamlNode::Entry& part : value.entries) {
      const std::string_view name = part.key.text;
      if (name != kDefault && !name.starts_with("Autograd")) {
        sink_.error(Code::bad_value, part.key.whole(),
                    fmt::format("'{}' is no dispatch key of autograd: 'Default', or one that "
                                "begins with 'Autograd'",
                                name));
      } else if (part.value->is_map()) {
        read_lines(*part.value, name);
      } else {
        sink_.error(Code::wrong_kind, part.value->is_null() ? part.key.whole() : part.value->span,
                    fmt::format("'{}' must be a mapping of formulas, not {}", name,
                                kind_name(*part.value)));
      }
    }
  }

  void read_outputs(const LocatedText& key, const YamlNode& value) {
    if (!value.is_sequence()) {
      sink_.error(
          Code::wrong_kind, value.is_null() ? key.whole() : value.span,
          fmt::format("'{}' must be a list of true and false, not {}", key.text, kind_name(value)));
      return;
    }
    for (const YamlNode* item : value.items) read_output(key, *item);
    const size_t outputs = entry_.function->schema.returns.size();
    if (value.items.size() == outputs) return;
    sink_.error(Code::wrong_arguments, key.whole(),
                fmt::format("'{}' has {} output{}, but {} {} listed", entry_.function->full_name,
                            outputs, outputs == 1 ? "" : "s", value.items.size(),
                            value.items.size() == 1 ? "is" : "are"));
  }

  // True, false, or a condition over the arguments.
  void read_output(const LocatedText& key, const YamlNode& value) {
    const bool is_condition = value.is_scalar() && value.quoted;
    if (!is_condition) {
      fields_.boolean(key, value);
    } else if (const CppNode* tree = parse_cpp(value.text, arena_, sink_)) {
      resolver_.resolve(*tree, {entry_.function, false});
    }
  }

  void read_formula(const LocatedText& key, const YamlNode& value, std::string_view dispatch_key) {
    const auto text = fields_.text(key, value);
    if (!text) return;
    NativeFormula formula{key, *text, dispatch_key};
    if (!check_key(formula)) return;
    ++result_.formulas;
    if (is_word(formula)) {
      ++result_.words;
    } else {
      parse(formula);
    }
    entry_.formulas.push_back(formula);
  }

  // Whether the key names arguments, or a result.
  bool check_key(NativeFormula& formula) {
    const FormulaScope scope{entry_.function, true};
    const Schema& schema = entry_.function->schema;
    for (const LocatedText& word : split_words(formula.key)) {
      if (schema.find_argument(word.text) >= 0) continue;
      if (scope.contains(word.text) && !word.text.ends_with("_t") && !word.text.ends_with("_p")) {
        formula.is_forward = true;
        continue;
      }
      sink_
          .error(Code::unknown_argument, word.whole(),
                 fmt::format("'{}' is no argument or result of '{}'", word.text,
                             entry_.function->full_name))
          .suggest(closest(word.text, FormulaScope{entry_.function, false}.names()));
      return false;
    }
    return true;
  }

  void parse(NativeFormula& formula) {
    const CppNode* tree = parse_cpp(formula.text, arena_, sink_);
    if (!tree) {
      ++result_.unparsed;
      return;
    }
    if (!same_tokens(print(*tree), formula.text.text)) {
      ++result_.unparsed;
      sink_.error(Code::expression_syntax, formula.text.whole(),
                  fmt::format("this formula reads as '{}'", print(*tree)));
      return;
    }
    formula.tree = tree;
    resolver_.resolve(*tree, {entry_.function, formula.is_forward});
  }

  const NativeFunctions& functions_;
  CppArena& arena_;
  DiagnosticSink& sink_;
  Fields fields_;
  Resolver resolver_;
  NativeDerivative entry_;
  NativeDerivatives result_;
};

}  // namespace

NativeDerivatives read_native_derivatives(const YamlNode& root, const Source& source,
                                          const NativeFunctions& functions, const CppNames& headers,
                                          CppArena& arena, DiagnosticSink& sink) {
  DerivativeReader reader(functions, headers, arena, sink);
  for (const YamlNode* entry : entries_of(root, source, "name", sink)) reader.read(*entry);
  return reader.finish();
}

}  // namespace opweave::codegen::torch
