// Checks expressions and formulas of all operators, an expression when it is first needed.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codegen/expr/element_checker.h"
#include "codegen/expr/formula_checker.h"
#include "codegen/model/declarations/storage.h"
#include "codegen/model/declarations/table.h"
#include "codegen/model/entries/draft.h"

namespace opweave::codegen {

class Expressions : public ElementEnvironment, public FormulaEnvironment {
 public:
  Expressions(ModelStorage& storage, const OperatorTable& table, const std::vector<Draft>& drafts,
              DiagnosticSink& sink);

  // Gives the operators what they compute: elements, dtypes and formulas.
  void check_all();

  // ElementEnvironment:
  bool is_operator(std::string_view base_name) const override;
  bool pointwise(std::string_view base_name, Span call,
                 std::vector<ElementCallable>& overloads) override;
  std::vector<std::string_view> pointwise_names() const override;
  Span declaration(std::string_view base_name) const override;

  // FormulaEnvironment:
  std::span<const FormulaCallable> overloads(std::string_view base_name) override;
  std::vector<std::string_view> operator_names() const override;

 private:
  enum class State { untouched, open, done, failed };

  bool check_expr(const Draft& draft);
  bool check_fold(const Draft& draft);
  const ElementNode* read_expr(const Draft& draft);
  bool check_open(const Draft& draft);
  bool check_extent(const ElementNode& tree, const Draft& draft);
  std::string ring_from(const Operator& first) const;
  bool writes_nothing(const Operator& op, const LocatedText& text, std::string_view key);
  bool check_result(const Operator& op, const OperatorEntry& entry);
  const FormulaNode* check_results(const Draft& draft, const LocatedText& text,
                                   std::string_view what, std::span<const FormulaLocal> parts = {},
                                   bool written = true);
  bool returns_argument(const Operator& op, const FormulaNode& formula, std::string_view what);
  std::vector<FormulaLocal> parts_of(const Draft& draft);
  Formulas formulas_of(const Draft& draft);

  ModelStorage& storage_;
  const OperatorTable& table_;
  const std::vector<Draft>& drafts_;
  DiagnosticSink& sink_;
  std::unordered_map<const Operator*, State> states_;
  std::vector<const Operator*> open_;  // each calls the next
  // What callers put in, whatever dtypes they have.
  std::unordered_map<const Operator*, const ElementNode*> with_conjugates_;
  std::unordered_map<const Operator*, const Draft*> draft_of_;
  std::unordered_map<std::string_view, std::vector<FormulaCallable>> callables_;
};

}  // namespace opweave::codegen
