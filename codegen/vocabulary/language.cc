// What schemas, expressions, formulas and rules are made of.
#include <fmt/format.h>

#include "codegen/expr/folds.h"
#include "codegen/expr/formula_methods.h"
#include "codegen/expr/intrinsics.h"
#include "codegen/rules/functions.h"
#include "codegen/rules/rule.h"
#include "codegen/syntax/named_values.h"
#include "codegen/syntax/schema.h"
#include "codegen/syntax/value_types.h"
#include "codegen/vocabulary/tables.h"

namespace opweave::codegen {
namespace {

std::vector<TopicWord> rule_words() {
  std::vector<TopicWord> words;
  for (const RuleFunction& function : rule_functions()) {
    std::string meaning(function.doc);
    if (!function.runtime) meaning += " Of functions for all targets alone.";
    words.push_back({function.schema.base_name, print(function.schema), std::move(meaning)});
  }
  return words;
}

std::vector<TopicWord> method_words() {
  std::vector<TopicWord> words;
  for (const MetadataMethod& method : metadata_methods())
    words.push_back({std::string(method.name), method.written, std::string(method.doc)});
  return words;
}

std::vector<TopicWord> error_words() {
  std::vector<TopicWord> words;
  for (std::string_view name : error_class_names()) {
    const bool first = name == error_class_names().front();
    words.push_back({std::string(name), fmt::format("{}: message", name),
                     first ? "What a message without a class is." : "A class of Python's."});
  }
  return words;
}

std::string meaning_of(const Intrinsic& intrinsic) {
  std::string text = intrinsic.result == ElementType::boolean ? "Makes truth values."
                     : intrinsic.bitwise                      ? "Of integers and booleans only."
                     : intrinsic.needs_float                  ? "Makes floats of integers."
                                                              : "Keeps the dtype.";
  for (size_t i = 0; i < intrinsic.derivatives.size(); ++i) {
    if (intrinsic.derivatives[i].empty()) continue;
    text += fmt::format(" By {}: `{}`.", i == 0 ? "x" : "y", intrinsic.derivatives[i]);
  }
  const ComplexRules rules = complex_rules(intrinsic);
  if (!rules.by_conjugate.empty())
    text += fmt::format(" Of complex numbers by x: `{}`, by conj(x): `{}`.", rules.derivatives[0],
                        rules.by_conjugate);
  return text;
}

std::vector<TopicWord> intrinsic_words() {
  std::vector<TopicWord> words;
  for (const Intrinsic& intrinsic : intrinsics()) {
    const bool two = intrinsic.arity == 2;
    std::string written;
    if (!intrinsic.name.empty())
      written = fmt::format("{}({})", intrinsic.name, two ? "x, y" : "x");
    if (!intrinsic.symbol.empty()) {
      written += written.empty() ? "" : " or ";
      written +=
          two ? fmt::format("x {} y", intrinsic.symbol) : fmt::format("{}x", intrinsic.symbol);
    }
    const std::string_view name = intrinsic.name.empty() ? intrinsic.symbol : intrinsic.name;
    words.push_back({std::string(name), std::move(written), meaning_of(intrinsic)});
  }
  return words;
}

std::vector<TopicWord> fold_words() {
  std::vector<TopicWord> words;
  for (const Fold& fold : folds()) {
    std::string meaning = fold.is_primitive() ? fmt::format("Of no elements {}.", fold.start)
                                              : fmt::format("`{}`.", fold.meaning);
    meaning += fmt::format(" By x: `{}`.", fold.derivative);
    words.push_back({std::string(fold.name),
                     fmt::format("{}({})", fold.name, fold.arity == 2 ? "x, y" : "x"),
                     std::move(meaning)});
  }
  words.push_back({"any", "any(c)", "Whether a condition holds for some element."});
  words.push_back({"all", "all(c)", "Whether it holds for all."});
  words.push_back({"count", "count(c)", "For how many."});
  words.push_back({"size", "size()", "How many elements are folded."});
  return words;
}

std::vector<TopicWord> type_words() {
  std::vector<TopicWord> words;
  for (std::string_view name : schema_type_names()) {
    const std::optional<BaseType> base = schema::base_type_from_name(name);
    if (!base || find_value_type(*base) == nullptr) continue;
    const std::vector<std::string> forms = argument_forms(Type{.base = *base});
    std::string text = "As an argument:";
    for (const std::string& form : forms) text += " `" + form + "`";
    words.push_back({std::string(name), std::string(name), text + "."});
  }
  return words;
}

std::vector<TopicWord> value_words() {
  std::vector<TopicWord> words;
  for (std::string_view name : all_value_names()) {
    const NamedValue& value = *find_named_value(name);
    words.push_back({std::string(name), std::string(name),
                     fmt::format("Of type {}.", base_type_name(value.type))});
  }
  return words;
}

}  // namespace

std::vector<WordTopic> language_topics() {
  return {
      {"types", "the types of arguments in a schema", type_words()},
      {"values", "the names that defaults, formulas and samples may have", value_words()},
      {"expr", "the functions of pointwise expressions", intrinsic_words()},
      {"over", "what expressions with `over` fold", fold_words()},
      {"methods", "what formulas and rules ask without elements", method_words()},
      {"rules", "the functions of `let`, `require` and `result`", rule_words()},
      {"errors", "the classes of errors that messages of `require` begin with", error_words()},
  };
}

}  // namespace opweave::codegen
