// Reading of expressions that fold.
#include "codegen/model/operators/fold_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "codegen/diagnostics/suggest.h"
#include "codegen/expr/element_places.h"
#include "codegen/expr/element_walk.h"
#include "codegen/model/operators/element_rules.h"
#include "codegen/model/operators/fold_axes.h"
#include "codegen/model/rules/rule_checks.h"

namespace opweave::codegen {
namespace {

class FoldReader {
 public:
  FoldReader(const Draft& draft, ModelStorage& storage, ElementEnvironment& environment,
             DiagnosticSink& sink)
      : op_(*draft.op),
        entry_(*draft.entry),
        storage_(storage),
        environment_(environment),
        sink_(sink) {}

  const FoldFormula* read() {
    const Context context = in_expr(op_, sink_);
    if (!check_face() || !read_fold_axes(op_, entry_.fold, storage_.syntax, fold_, sink_))
      return nullptr;
    scope_.arguments = fold_.arguments;
    scope_.has_folds = fold_.has_folds;
    add_coordinates();
    const size_t errors = sink_.error_count();
    read_values();
    read_results();
    if (sink_.error_count() == errors) check_all_read();
    if (sink_.error_count() != errors) return nullptr;
    return &storage_.folds.emplace_back(std::move(fold_));
  }

 private:
  // New tensors of tensors, and nothing that is written.
  bool check_face() {
    const auto is_new_tensor = [](const Return& result) {
      return result.type.is_tensor() && !result.type.alias;
    };
    const auto& returns = op_.schema.returns;
    if (!returns.empty() && std::ranges::all_of(returns, is_new_tensor)) return true;
    sink_
        .error(Code::bad_fold, *entry_.fold.key(),
               fmt::format("'{}' cannot have '{}': an expr that folds returns new tensors, and "
                           "nothing else",
                           op_.name.full, entry_.fold.over_key ? "over" : "axes"))
        .note(op_.origin.span, "its schema is here");
    return false;
  }

  // The names of axes are places along them.
  void add_coordinates() {
    if (!fold_.axis.empty()) add_coordinate(fold_.axis, kFoldedPlace, kFoldedAxes);
    for (uint16_t i = 0; i < fold_.named.size(); ++i)
      add_coordinate(fold_.named[i].name, static_cast<uint16_t>(i + 1), kKeptAxes);
  }
  void add_coordinate(std::string_view name, uint16_t index, AxisMask axes) {
    scope_.values.emplace_back(name, storage_.elements.coordinate(index, axes));
  }

  void read_values() {
    std::vector<FormulaLocal> before;
    for (const auto& [name, coordinate] : scope_.values) before.push_back({name, nullptr});
    for (const auto& [name, text] : entry_.fold.values) {
      if (!is_new_local(name, op_.schema, before, sink_)) continue;
      before.push_back({name.text, nullptr});
      if (const ElementNode* value = expression(text)) scope_.values.emplace_back(name.text, value);
    }
  }

  void read_results() {
    const size_t count = op_.schema.returns.size();
    if (entry_.expr) {
      if (count == 1) return add_result(0, *entry_.expr);
      sink_.error(Code::missing_result, entry_.expr->whole(),
                  fmt::format("'{}' has {} results: 'expr' is a mapping from their names",
                              op_.name.full, count));
      return;
    }
    check_names();
    for (size_t i = 0; i < count; ++i) {
      const std::string name = name_of_result(op_.schema, i);
      const auto found = std::ranges::find_if(
          entry_.fold.results, [&](const auto& named) { return named.first.text == name; });
      if (found != entry_.fold.results.end()) {
        add_result(i, found->second);
      } else {
        sink_.error(
            Code::missing_result, entry_.implementations[0].whole(),
            fmt::format("'expr' of '{}' says nothing of its result '{}'", op_.name.full, name));
      }
    }
  }

  void check_names() {
    for (const auto& [name, text] : entry_.fold.results) {
      Suggester suggester(name.text);
      bool known = false;
      for (size_t i = 0; i < op_.schema.returns.size(); ++i) {
        known = known || name_of_result(op_.schema, i) == name.text;
        suggester.offer(name_of_result(op_.schema, i));
      }
      if (known) continue;
      sink_
          .error(Code::missing_result, name.whole(),
                 fmt::format("'{}' has no result '{}'", op_.name.full, name.text))
          .suggest(suggester.best());
    }
  }

  void add_result(size_t index, const LocatedText& text) {
    const ElementNode* result = expression(text);
    if (result == nullptr) return;
    AxisMask& axes = fold_.result_axes[index];
    if (axes == kFoldedAxes) return add_sum_of_rows(index, *result, text);
    if ((result->axes & kAllAxes) == 0) {
      sink_.error(Code::bad_fold, text.whole(),
                  "a result is made of the elements of tensors: this reads none");
      return;
    }
    fold_.results.push_back(result);
    const bool whole = !fold_.has_folds || (result->axes & kFoldedAxes) != 0;
    axes = whole ? kAllAxes : kKeptAxes;
  }

  void add_sum_of_rows(size_t index, const ElementNode& term, const LocatedText& text) {
    if ((term.axes & kAllAxes) != kAllAxes) {
      sink_.error(Code::bad_fold, text.whole(),
                  fmt::format("'{}' is added up over all rows: its expression has to read elements "
                              "of tensors that lie along all axes",
                              name_of_result(op_.schema, index)));
      return;
    }
    if (!knows_sizes_of_columns()) {
      sink_
          .error(Code::missing_result, text.whole(),
                 fmt::format("the sizes of '{}' are those of the dimensions that '{}' names: say "
                             "them in 'result'",
                             name_of_result(op_.schema, index),
                             op_.schema.arguments[fold_.over.argument].name))
          .note(*entry_.fold.axes_key, "it has an element for each place along them");
      return;
    }
    const ElementNode* value = storage_.elements.as_value(&term);
    fold_.results.push_back(storage_.elements.fold(static_cast<uint16_t>(FoldKind::sum),
                                                   {&value, 1}, kKeptAxes, term.span));
  }

  // Of dimensions in a list, of which none are all, the rule of one call is not that of another.
  bool knows_sizes_of_columns() const {
    if (entry_.rule.result_key || fold_.over.kind != FoldDims::Kind::argument) return true;
    const Type& type = op_.schema.arguments[fold_.over.argument].type;
    return !type.list && !type.optional;
  }

  const ElementNode* expression(const LocatedText& text) {
    const SyntaxNode* syntax = parse_expression(text, storage_.syntax, sink_);
    return syntax == nullptr ? nullptr
                             : check_element(*syntax, op_.schema, storage_.elements, environment_,
                                             sink_, &scope_);
  }

  void check_all_read() {
    std::unordered_set<const ElementNode*> reached;
    for (const ElementNode* result : fold_.results) walk(*result, reached, [](const auto&) {});
    const auto check = [&](const LocatedText& name, std::string_view what) {
      const ElementNode* value = scope_.find(name.text);
      if (value == nullptr || reached.contains(value)) return;
      sink_.error(Code::idle_rule, name.whole(),
                  fmt::format("nothing reads the {} '{}'", what, name.text));
    };
    for (const auto& [name, text] : entry_.fold.values) check(name, "value");
    // What is folded, or walked along, has a reason besides.
    for (const auto& [name, text] : entry_.fold.axes) {
      if (name.text != fold_.axis) check(name, "coordinate");
    }
  }

  const Operator& op_;
  const OperatorEntry& entry_;
  ModelStorage& storage_;
  ElementEnvironment& environment_;
  DiagnosticSink& sink_;
  FoldScope scope_;
  FoldFormula fold_;
};

}  // namespace

const FoldFormula* read_fold(const Draft& draft, ModelStorage& storage,
                             ElementEnvironment& environment, DiagnosticSink& sink) {
  return FoldReader(draft, storage, environment, sink).read();
}

Elements elements_of(const FoldFormula& fold, const Operator& op) {
  Elements elements{.fold = &fold, .arguments = element_arguments(fold.results, op.schema)};
  for (const ElementNode* result : fold.results) {
    const Promotion promotion = derive_promotion(*result);
    if (promotion.compute == ComputeRule::int_to_float) elements.promotion = promotion;
  }
  elements.promotion.result = ResultRule::compute;
  return elements;
}

}  // namespace opweave::codegen
