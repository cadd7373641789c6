// Checks `expr` and `composite` of all operators, each when it is first needed.
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

  // Fills in what follows from expressions: trees, argument uses, promotion.
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
  bool check_open(const Draft& draft);
  bool check_extent(const ElementNode& tree, const Draft& draft);
  std::string ring_from(const Operator& first) const;
  bool writes_nothing(const Operator& op, const LocatedText& text, std::string_view key);
  bool check_result(const Operator& op, const OperatorEntry& entry);
  void set_rules(Operator& op, const OperatorEntry& entry);
  void set_dtypes_of_bits(Operator& op, const OperatorEntry& entry);
  void check_dtypes_of_floats(const Operator& op, const OperatorEntry& entry);
  void bits_conflict(const Operator& op, const OperatorEntry& entry, Span span,
                     std::string_view key, std::string_view what);
  void mark(Operator& op, const std::vector<LocatedText>& names, std::string_view key,
            bool ElementArgument::*member);
  const FormulaNode* check_results(const Draft& draft, const LocatedText& text,
                                   std::string_view what, bool written = true);
  bool returns_argument(const Operator& op, const FormulaNode& formula, std::string_view what);
  void check_composite(const Draft& draft);
  void add_parts(const Draft& draft);
  void check_batching(const Draft& draft);
  void check_reference(const Draft& draft);

  ModelStorage& storage_;
  const OperatorTable& table_;
  const std::vector<Draft>& drafts_;
  DiagnosticSink& sink_;
  std::unordered_map<const Operator*, State> states_;
  std::vector<const Operator*> open_;  // each calls the next
  std::unordered_map<const Operator*, const Draft*> draft_of_;
  std::unordered_map<std::string_view, std::vector<FormulaCallable>> callables_;
};

}  // namespace opweave::codegen
