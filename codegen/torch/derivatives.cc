// Reads PyTorch's derivatives.yaml.
#include "codegen/torch/derivatives.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "codegen/diagnostics/suggest.h"
#include "codegen/model/entries/fields.h"
#include "codegen/torch/derivative_rules.h"
#include "codegen/torch/entry_values.h"
#include "codegen/torch/resolve.h"
#include "codegen/torch/yaml_kinds.h"

namespace opweave::codegen::torch {
namespace {

constexpr std::string_view kDefault = "Default";
constexpr std::string_view kInputWords[] = {"non_differentiable"};
constexpr std::string_view kResultWords[] = {"auto_linear", "auto_element_wise"};

const std::vector<std::string_view>& autograd_keys() {
  static const std::vector<std::string_view> kKeys = {
#define OPWEAVE_TORCH_BACKEND(name) "Autograd" #name,
#include "codegen/torch/words.def"
  };
  return kKeys;
}

bool is_word(const NativeFormula& formula) {
  auto is_one_of = [&](const auto& words) {
    return std::ranges::find(words, formula.text.text) != std::end(words);
  };
  return formula.is_forward ? is_one_of(kResultWords) : is_one_of(kInputWords);
}

class DerivativeReader {
 public:
  DerivativeReader(const DerivativeContext& context, CppArena& arena, DiagnosticSink& sink)
      : functions_(context.functions),
        arena_(arena),
        sink_(sink),
        values_(sink),
        resolver_(context.functions, context.headers, sink),
        rules_(context.functions, context.groups, sink) {
    for (const FormGroup& group : context.groups) {
      for (size_t i = 0; i < group.generated.size(); ++i)
        generated_.emplace(group.generated[i], &group.generated_schemas[i]);
    }
  }

  void read(const YamlNode& node) {
    entry_ = {};
    const size_t before = sink_.error_count();
    if (!read_name(node)) return;
    values_.set_owner(entry_.function->full_name);
    read_lines(node, kDefault);
    if (sink_.error_count() == before) sound_.push_back(result_.entries.size());
    result_.entries.push_back(std::move(entry_));
  }

  NativeDerivatives finish() {
    result_.helpers = resolver_.unchecked().size();
    for (const NativeDerivative& entry : result_.entries) rules_.add(entry);
    for (const size_t index : sound_) rules_.check(result_.entries[index]);
    rules_.check_lists();
    return std::move(result_);
  }

 private:
  bool read_name(const YamlNode& node) {
    for (const YamlNode::Entry& field : node.entries) {
      if (field.key.text != "name") continue;
      const auto text = values_.text(field.key, *field.value, "f(Tensor self) -> Tensor");
      if (!text) return false;
      auto schema = parse_schema(*text, sink_);
      return schema && find_function(std::move(*schema)) && check_first(text->whole());
    }
    const Span span = node.entries.empty() ? node.span : node.entries[0].key.whole();
    sink_.error(Code::missing_key, span, "this entry has no 'name': the operator it is for");
    return false;
  }

  bool find_function(Schema schema) {
    const std::string name = schema.full_name();
    entry_.function = functions_.find(name);
    if (!entry_.function && functions_.is_generated(name)) {
      if (!check_generated(schema, name)) return false;
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

  bool check_generated(const Schema& schema, const std::string& name) {
    const auto made = generated_.find(name);
    if (made == generated_.end() || print(*made->second) == print(schema)) return true;
    sink_
        .error(
            Code::conflicting_statements, schema.span,
            fmt::format("the schema of '{}' is not that of the operator, which is generated", name))
        .note({}, fmt::format("write: {}", print(*made->second)));
    return false;
  }

  bool check_first(Span span) {
    const auto [first, is_new] = firsts_.emplace(entry_.function, span);
    if (is_new) return true;
    sink_
        .error(Code::duplicate_derivative, span,
               fmt::format("'{}' has an entry already, which this one replaces",
                           entry_.function->full_name))
        .note(first->second, "the first is here");
    return false;
  }

  // Beside 'dispatch' there is nothing but what holds for all keys.
  bool check_beside(const YamlNode& node, const LocatedText& key) {
    const auto is_dispatch = [](const YamlNode::Entry& field) {
      return field.key.text == "dispatch";
    };
    if (key.text == "dispatch" || std::ranges::none_of(node.entries, is_dispatch)) return true;
    sink_
        .error(Code::conflicting_statements, key.whole(),
               fmt::format("'{}' stands beside 'dispatch', and is not read there", key.text))
        .note({}, "move it below 'Default'");
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
      } else if (check_beside(node, field.key)) {
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
      if (!is_dispatch_key(name)) {
        bad_dispatch_key(part.key);
      } else if (part.value->is_map()) {
        read_lines(*part.value, name);
      } else {
        values_.wrong_kind(part.key, *part.value, "a mapping of formulas", "");
      }
    }
  }

  static bool is_dispatch_key(std::string_view name) {
    return name == kDefault || std::ranges::find(autograd_keys(), name) != autograd_keys().end();
  }

  void bad_dispatch_key(const LocatedText& key) {
    const std::string_view name = key.text;
    std::string meant = closest(name, autograd_keys());
    if (is_dispatch_key("Autograd" + std::string(name))) meant = "Autograd" + std::string(name);
    sink_
        .error(Code::bad_value, key.whole(),
               fmt::format("'{}' is no dispatch key of autograd: 'Default', or 'Autograd' and a "
                           "backend",
                           name))
        .suggest(std::move(meant));
  }

  void read_outputs(const LocatedText& key, const YamlNode& value) {
    if (!value.is_sequence()) {
      values_.wrong_kind(key, value, "a list of True and False", "write it as: [True]");
      return;
    }
    entry_.outputs_key = key;
    entry_.outputs.emplace();
    bool has_condition = false;
    for (const YamlNode* item : value.items) has_condition |= read_output(key, *item);
    const size_t outputs = entry_.function->schema.returns.size();
    if (value.items.size() != outputs) {
      sink_.error(Code::wrong_arguments, key.whole(),
                  fmt::format("'{}' has {} output{}, but {} {} listed", entry_.function->full_name,
                              outputs, outputs == 1 ? "" : "s", value.items.size(),
                              value.items.size() == 1 ? "is" : "are"));
    } else if (has_condition && outputs > 1) {
      sink_
          .error(Code::conflicting_statements, key.whole(),
                 fmt::format("'{}' has {} outputs, and a condition", entry_.function->full_name,
                             outputs))
          .note({}, "conditions are for operators of one output: write True or False");
    }
    if (has_condition) entry_.outputs.reset();
  }

  // True, false, or a condition over the arguments. Whether it is a condition.
  bool read_output(const LocatedText& key, const YamlNode& value) {
    if (yaml_kind(value) != YamlKind::text) {
      const auto truth = values_.boolean(key, value);
      if (truth) entry_.outputs->push_back(*truth);
      return false;
    }
    if (const CppNode* tree = parse_cpp(value.text, arena_, sink_))
      resolver_.resolve(*tree, {entry_.function, false});
    return true;
  }

  void read_formula(const LocatedText& key, const YamlNode& value, std::string_view dispatch_key) {
    const auto text = values_.text(key, value, "grad");
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

  // What is written as `out` is none.
  static bool is_input(const Schema& schema, std::string_view name) {
    const int at = schema.find_argument(name);
    if (at < 0) return false;
    const Argument& argument = schema.arguments[static_cast<size_t>(at)];
    return !argument.keyword_only || !argument.type.is_mutated();
  }

  // Whether the key names arguments, or a result.
  bool check_key(NativeFormula& formula) {
    const FormulaScope scope{entry_.function, true};
    const Schema& schema = entry_.function->schema;
    const std::vector<LocatedText> words = split_words(formula.key);
    if (words.empty()) {
      sink_.error(Code::unknown_argument, formula.text.whole(),
                  fmt::format("this formula of '{}' is for no argument or result",
                              entry_.function->full_name));
    }
    if (const std::optional<LocatedText> comma = idle_comma(formula.key); comma && !words.empty()) {
      sink_.error(
          Code::unknown_argument, comma->whole(),
          fmt::format("the key '{}' has no name on one side of this comma", formula.key.text));
    }
    for (const LocatedText& word : words) {
      if (is_input(schema, word.text)) continue;
      const bool is_argument = schema.find_argument(word.text) >= 0;
      const bool is_dual = word.text.ends_with("_t") || word.text.ends_with("_p");
      if (scope.contains(word.text) && !is_argument && !is_dual) {
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
    return !words.empty();
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
  EntryValues values_;
  Resolver resolver_;
  DerivativeRules rules_;
  std::map<const NativeFunction*, Span> firsts_;
  std::map<std::string_view, const Schema*> generated_;  // by the full name
  std::vector<size_t> sound_;                            // entries without mistakes so far
  NativeDerivative entry_;
  NativeDerivatives result_;
};

}  // namespace

NativeDerivatives read_native_derivatives(const YamlNode& root, const Source& source,
                                          const DerivativeContext& context, CppArena& arena,
                                          DiagnosticSink& sink) {
  DerivativeReader reader(context, arena, sink);
  for (const YamlNode* entry : entries_of(root, source, "name", sink)) reader.read(*entry);
  return reader.finish();
}

}  // namespace opweave::codegen::torch
