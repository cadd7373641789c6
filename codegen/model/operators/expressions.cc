// Expressions of operators.
#include "codegen/model/operators/expressions.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/diagnostics/suggest.h"
#include "codegen/expr/element_conjugates.h"
#include "codegen/expr/element_extent.h"
#include "codegen/model/operators/call_checks.h"
#include "codegen/model/operators/element_rules.h"
#include "codegen/model/operators/fold_reader.h"
#include "codegen/model/rules/rule_checks.h"

namespace opweave::codegen {
namespace {

constexpr size_t kMostOperations = 10'000;
constexpr size_t kDeepest = 1'000;
constexpr size_t kMostOpen = 200;

// A derived form computes what the functional one does.
Elements derived_elements(const Operator& form) {
  Elements elements = *form.forms->functional->elements;
  if (elements.expr) elements.arguments.resize(form.schema.arguments.size());
  return elements;
}

}  // namespace

Expressions::Expressions(ModelStorage& storage, const OperatorTable& table,
                         const std::vector<Draft>& drafts, DiagnosticSink& sink)
    : storage_(storage), table_(table), drafts_(drafts), sink_(sink) {
  for (const Draft& draft : drafts_) draft_of_[draft.op] = &draft;
}

void Expressions::check_all() {
  for (const Draft& draft : drafts_) {
    if (draft.entry) check_expr(draft);
  }
  for (const Draft& draft : drafts_) {
    if (!draft.entry) draft.op->elements.give(derived_elements(*draft.op));
  }
  for (const Draft& draft : drafts_) {
    draft.op->dtypes.give(draft.entry ? dtypes_of(*draft.op, *draft.entry, sink_)
                                      : *draft.op->forms->functional->dtypes);
  }
  std::unordered_map<const Operator*, Formulas> formulas;
  for (const Draft& draft : drafts_)
    formulas.emplace(draft.op, draft.entry ? formulas_of(draft) : Formulas());
  check_composites(drafts_, formulas, sink_);
  for (const Draft& draft : drafts_) draft.op->formulas.give(std::move(formulas.at(draft.op)));
}

bool Expressions::is_operator(std::string_view base_name) const {
  return table_.family(base_name) != nullptr;
}

bool Expressions::pointwise(std::string_view base_name, Span call,
                            std::vector<ElementCallable>& overloads) {
  // An overload may call another of the same name, never itself.
  const Operator* open = nullptr;
  for (const Operator* op : table_.family(base_name)->overloads) {
    const Draft& draft = *draft_of_.at(op);
    if (!draft.entry || !draft.entry->expr || op->is_fold() || op->forms->form != Form::functional)
      continue;
    if (states_[op] == State::open) {
      open = op;
      continue;
    }
    if (!check_expr(draft)) return false;
    overloads.push_back({&op->schema, with_conjugates_.at(op)});
  }
  if (!open || !overloads.empty()) return true;
  sink_
      .error(Code::recursive_expression, call,
             fmt::format("the expression of '{}' leads back to itself here: {}", open->name.full,
                         ring_from(*open)))
      .note(open->origin.span, "it is declared here");
  return false;
}

// "'f' calls 'g', 'g' calls 'f'"
std::string Expressions::ring_from(const Operator& first) const {
  std::string text;
  for (auto at = std::ranges::find(open_, &first); at != open_.end(); ++at) {
    const Operator& next = at + 1 == open_.end() ? first : **(at + 1);
    text += fmt::format("{}'{}' calls '{}'", text.empty() ? "" : ", ", (*at)->name.full,
                        next.name.full);
  }
  return text;
}

Span Expressions::declaration(std::string_view base_name) const {
  const OperatorFamily* family = table_.family(base_name);
  return family ? family->overloads.front()->origin.span : Span{};
}

std::vector<std::string_view> Expressions::pointwise_names() const {
  std::vector<std::string_view> names;
  for (const Draft& draft : drafts_) {
    if (draft.entry && draft.entry->expr && !draft.op->is_fold())
      names.push_back(draft.op->name.base);
  }
  return names;
}

std::span<const FormulaCallable> Expressions::overloads(std::string_view base_name) {
  auto [entry, is_new] = callables_.try_emplace(base_name);
  if (is_new) {
    const OperatorFamily* family = table_.family(base_name);
    if (!family) return {};
    for (const Operator* op : family->overloads) {
      if (op->forms->form == Form::functional) entry->second.push_back({op, &op->schema});
    }
  }
  return entry->second;
}

std::vector<std::string_view> Expressions::operator_names() const {
  std::vector<std::string_view> names;
  for (const auto& [name, family] : table_.families()) names.push_back(name);
  return names;
}

bool Expressions::check_expr(const Draft& draft) {
  Operator& op = *draft.op;
  State& state = states_[&op];
  if (state != State::untouched) return state == State::done;
  state = State::open;
  if (op.is_fold()) return check_fold(draft);
  const ElementNode* expr = draft.entry->expr ? read_expr(draft) : nullptr;
  state = expr ? State::done : State::failed;
  with_conjugates_[&op] = expr;
  if (expr && !takes_complex(*draft.entry)) expr = without_conjugates(*expr, storage_.elements);
  op.elements.give(expr ? elements_of(*expr, op, *draft.entry, sink_) : Elements());
  return expr != nullptr;
}

// No expression of another operator can call it.
bool Expressions::check_fold(const Draft& draft) {
  const FoldFormula* fold = read_fold(draft, storage_, *this, sink_);
  draft.op->elements.give(fold ? elements_of(*fold, *draft.op) : Elements());
  states_[draft.op] = fold ? State::done : State::failed;
  return fold != nullptr;
}

// Null after a report.
const ElementNode* Expressions::read_expr(const Draft& draft) {
  const Operator& op = *draft.op;
  const Context context = in_expr(op, sink_);
  open_.push_back(&op);
  const SyntaxNode* syntax = parse_expression(*draft.entry->expr, storage_.syntax, sink_);
  const ElementNode* tree = syntax && check_open(draft)
                                ? check_element(*syntax, op.schema, storage_.elements, *this, sink_)
                                : nullptr;
  open_.pop_back();
  return tree && check_extent(*tree, draft) && check_result(op, *draft.entry) ? tree : nullptr;
}

// Each call of an operator that is not checked yet is a recursion.
bool Expressions::check_open(const Draft& draft) {
  if (open_.size() <= kMostOpen) return true;
  sink_.error(Code::too_deep, draft.entry->expr->whole(),
              fmt::format("expressions call one another more than {} deep, from '{}' to '{}'",
                          kMostOpen, open_.front()->name.full, draft.op->name.full));
  return false;
}

bool Expressions::check_extent(const ElementNode& tree, const Draft& draft) {
  const ElementExtent extent = extent_of(tree);
  const bool large = extent.operations > kMostOperations;
  if (!large && extent.depth <= kDeepest) return true;
  const std::string what = large ? fmt::format("comes to more than {} operations", kMostOperations)
                                 : fmt::format("is nested more than {} levels deep", kDeepest);
  sink_.error(large ? Code::too_large : Code::too_deep, draft.entry->expr->whole(),
              fmt::format("the expr of '{}' {}, with the expressions that it calls put in",
                          draft.op->name.full, what));
  return false;
}

// The kernel that is made of an expression or a formula makes a result and writes no argument.
bool Expressions::writes_nothing(const Operator& op, const LocatedText& text,
                                 std::string_view key) {
  if (op.effects.mutated.empty()) return true;
  const Argument& written = op.schema.arguments[op.effects.mutated.front()];
  sink_
      .error(Code::unwritable_argument, text.whole(),
             fmt::format("'{}' is declared to write '{}', but its {} makes a new result and writes "
                         "nothing",
                         op.name.full, written.name, key))
      .note(written.span, "it is declared to be written here")
      .note({},
            "an operator without '_' with 'inplace: true' has an in-place form that is derived");
  return false;
}

bool Expressions::check_result(const Operator& op, const OperatorEntry& entry) {
  if (!writes_nothing(op, *entry.expr, "expr")) return false;
  const auto& returns = op.schema.returns;
  bool has_tensor = !op.tensor_arguments().empty();
  bool one_tensor = returns.size() == 1 && returns[0].type.is_tensor() && !returns[0].type.alias;
  if (one_tensor && has_tensor && op.forms->form == Form::functional) return true;
  sink_
      .error(Code::not_pointwise, entry.expr->whole(),
             fmt::format("'{}' cannot have an expr: that takes at least one Tensor and returns one "
                         "new Tensor",
                         op.name.full))
      .note(op.origin.span, "its schema is here");
  return false;
}

// A formula over the operator's arguments that computes its results. `written`: as part of what is
// generated, of which tests are to notice mistakes.
const FormulaNode* Expressions::check_results(const Draft& draft, const LocatedText& text,
                                              std::string_view what,
                                              std::span<const FormulaLocal> parts, bool written) {
  const Operator& op = *draft.op;
  const Context context(
      sink_, op.origin.span,
      fmt::format("in the {} of '{}', which is declared here", what, op.name.full));
  const SyntaxNode* syntax = parse_expression(text, storage_.syntax, sink_);
  if (!syntax) return nullptr;
  if (!writes_nothing(op, text, what)) return nullptr;
  if (op.schema.returns.empty()) {
    sink_.error(
        Code::wrong_form, text.whole(),
        fmt::format("'{}' cannot have a {} formula: it returns nothing", op.name.full, what));
    return nullptr;
  }
  std::vector<Type> wanted;
  for (const Return& result : op.schema.returns) wanted.push_back(result.type);
  const FormulaScope scope{.schema = &op.schema, .op = &op, .parts = parts};
  const FormulaNode* formula =
      check_formula(*syntax, scope, wanted, storage_.formulas, *this, sink_);
  if (!written) return formula;
  if (formula && returns_argument(op, *formula, what)) return nullptr;
  if (storage_.keeps_written) {
    storage_.written.push_back({&op, std::string(what), formula, syntax, scope, std::move(wanted)});
  }
  return formula;
}

// A new result is not an argument under another name.
bool Expressions::returns_argument(const Operator& op, const FormulaNode& formula,
                                   std::string_view what) {
  const bool one = op.schema.returns.size() == 1 && !op.schema.returns[0].type.alias;
  if (!one || formula.kind != FormulaKind::argument || !formula.type.is_tensor()) return false;
  sink_.error(Code::wrong_form, formula.span,
              fmt::format("the {} of '{}' computes nothing: it gives its argument back, not a new "
                          "tensor",
                          what, op.name.full));
  return true;
}

namespace {

// With the parts that it reads put in.
struct FormulaExtent {
  size_t operations = 1, depth = 1;
};

FormulaExtent extent_of(const FormulaNode& node, const std::vector<FormulaExtent>& parts) {
  FormulaExtent extent;
  const auto add = [&](const FormulaExtent& operand) {
    extent.operations += operand.operations;
    extent.depth = std::max(extent.depth, operand.depth + 1);
  };
  if (node.kind == FormulaKind::named) {
    add(parts[node.index]);
    return extent;
  }
  for (const FormulaNode* operand : node.operands) add(extent_of(*operand, parts));
  return extent;
}

}  // namespace

// Each sees those before it.
std::vector<FormulaLocal> Expressions::parts_of(const Draft& draft) {
  const Operator& op = *draft.op;
  const auto& written = draft.entry->rule.locals;
  std::vector<FormulaLocal> parts;
  parts.reserve(written.size());  // scopes point into it
  std::vector<FormulaExtent> extents;
  for (const auto& [name, value] : written) {
    const Context context(
        sink_, op.origin.span,
        fmt::format("in the composite of '{}', which is declared here", op.name.full));
    if (!is_new_local(name, op.schema, parts, sink_)) continue;
    const SyntaxNode* syntax = parse_expression(value, storage_.syntax, sink_);
    const FormulaScope scope{.schema = &op.schema, .op = &op, .parts = parts};
    const FormulaNode* node =
        syntax ? check_value(*syntax, scope, storage_.formulas, *this, sink_) : nullptr;
    if (node && !check_local_value(*node, sink_)) node = nullptr;
    extents.push_back(node ? extent_of(*node, extents) : FormulaExtent());
    if (extents.back().operations > kMostOperations || extents.back().depth > kDeepest) {
      sink_.error(Code::too_large, value.whole(),
                  fmt::format("'{}' of '{}' comes to more than {} operations, or {} levels, with "
                              "the parts that it reads put in",
                              name.text, op.name.full, kMostOperations, kDeepest));
      node = nullptr;
    }
    parts.push_back({name.text, node});
    if (node && storage_.keeps_written)
      storage_.written.push_back({&op, "let", node, syntax, scope, {node->type}});
  }
  return parts;
}

Formulas Expressions::formulas_of(const Draft& draft) {
  const OperatorEntry& entry = *draft.entry;
  Formulas made;
  if (entry.composite) {
    if (entry.rule.let_key) made.parts = parts_of(draft);
    made.composite = check_results(draft, *entry.composite, "composite", made.parts);
  }
  if (entry.batching_formula)
    made.batching = check_results(draft, *entry.batching_formula, "batching");
  // What it calls is not the operator itself, as in every formula: it would be compared with
  // itself.
  if (entry.reference)
    made.reference = check_results(draft, *entry.reference, "reference", {}, /*written=*/false);
  return made;
}

}  // namespace opweave::codegen
