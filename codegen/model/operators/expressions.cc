// Expressions of operators.
#include "codegen/model/operators/expressions.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/diagnostics/suggest.h"
#include "codegen/expr/element_extent.h"
#include "codegen/model/rules/rule_checks.h"

namespace opweave::codegen {
namespace {

constexpr size_t kMostOperations = 10'000;
constexpr size_t kDeepest = 1'000;
constexpr size_t kMostOpen = 200;

}  // namespace

Expressions::Expressions(ModelStorage& storage, const OperatorTable& table,
                         const std::vector<Draft>& drafts, DiagnosticSink& sink)
    : storage_(storage), table_(table), drafts_(drafts), sink_(sink) {
  for (const Draft& draft : drafts_) draft_of_[draft.op] = &draft;
}

void Expressions::check_all() {
  for (const Draft& draft : drafts_) {
    if (!draft.entry) continue;
    if (draft.entry->expr) check_expr(draft);
    if (draft.entry->composite) check_composite(draft);
    if (draft.entry->batching_formula) check_batching(draft);
    if (draft.entry->reference) check_reference(draft);
  }
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
    if (!draft.entry || !draft.entry->expr || op->form != Form::functional) continue;
    if (states_[op] == State::open) {
      open = op;
      continue;
    }
    if (!check_expr(draft)) return false;
    overloads.push_back({&op->schema, op->expr});
  }
  if (!open || !overloads.empty()) return true;
  sink_
      .error(Code::recursive_expression, call,
             fmt::format("the expression of '{}' leads back to itself here: {}", open->full_name,
                         ring_from(*open)))
      .note(open->span, "it is declared here");
  return false;
}

// "'f' calls 'g', 'g' calls 'f'"
std::string Expressions::ring_from(const Operator& first) const {
  std::string text;
  for (auto at = std::ranges::find(open_, &first); at != open_.end(); ++at) {
    const Operator& next = at + 1 == open_.end() ? first : **(at + 1);
    text += fmt::format("{}'{}' calls '{}'", text.empty() ? "" : ", ", (*at)->full_name,
                        next.full_name);
  }
  return text;
}

Span Expressions::declaration(std::string_view base_name) const {
  const OperatorFamily* family = table_.family(base_name);
  return family ? family->overloads.front()->span : Span{};
}

std::vector<std::string_view> Expressions::pointwise_names() const {
  std::vector<std::string_view> names;
  for (const Draft& draft : drafts_) {
    if (draft.entry && draft.entry->expr) names.push_back(draft.op->base_name);
  }
  return names;
}

std::span<const FormulaCallable> Expressions::overloads(std::string_view base_name) {
  auto [entry, is_new] = callables_.try_emplace(base_name);
  if (is_new) {
    const OperatorFamily* family = table_.family(base_name);
    if (!family) return {};
    for (const Operator* op : family->overloads) {
      if (op->form == Form::functional) entry->second.push_back({op, &op->schema});
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
  const Context context(sink_, op.span,
                        fmt::format("in the expr of '{}', which is declared here", op.full_name));
  state = State::open;
  open_.push_back(&op);
  const SyntaxNode* syntax = parse_expression(*draft.entry->expr, storage_.syntax, sink_);
  const ElementNode* tree = syntax && check_open(draft)
                                ? check_element(*syntax, op.schema, storage_.elements, *this, sink_)
                                : nullptr;
  open_.pop_back();
  bool fine = tree && check_extent(*tree, draft) && check_result(op, *draft.entry);
  state = fine ? State::done : State::failed;
  if (!fine) return false;
  op.expr = tree;
  set_rules(op, *draft.entry);
  return true;
}

// Each call of an operator that is not checked yet is a recursion.
bool Expressions::check_open(const Draft& draft) {
  if (open_.size() <= kMostOpen) return true;
  sink_.error(Code::too_deep, draft.entry->expr->whole(),
              fmt::format("expressions call one another more than {} deep, from '{}' to '{}'",
                          kMostOpen, open_.front()->full_name, draft.op->full_name));
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
                          draft.op->full_name, what));
  return false;
}

// The kernel that is made of an expression or a formula makes a result and writes no argument.
bool Expressions::writes_nothing(const Operator& op, const LocatedText& text,
                                 std::string_view key) {
  if (op.mutated.empty()) return true;
  const Argument& written = op.schema.arguments[op.mutated.front()];
  sink_
      .error(Code::unwritable_argument, text.whole(),
             fmt::format("'{}' is declared to write '{}', but its {} makes a new result and writes "
                         "nothing",
                         op.full_name, written.name, key))
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
  if (one_tensor && has_tensor && op.form == Form::functional) return true;
  sink_
      .error(Code::not_pointwise, entry.expr->whole(),
             fmt::format("'{}' cannot have an expr: that takes at least one Tensor and returns one "
                         "new Tensor",
                         op.full_name))
      .note(op.span, "its schema is here");
  return false;
}

void Expressions::set_rules(Operator& op, const OperatorEntry& entry) {
  op.element_arguments = element_arguments(*op.expr, op.schema);
  op.promotion = entry.promotion ? *entry.promotion : derive_promotion(*op.expr);
  if (op.expr->type == ElementType::boolean) op.promotion.result = ResultRule::boolean;
  if (is_bitwise(*op.expr)) set_dtypes_of_bits(op, entry);
  check_dtypes_of_floats(op, entry);
  if (!entry.promotes.empty()) {
    for (ElementArgument& argument : op.element_arguments) argument.promotes = false;
  }
  mark(op, entry.promotes, "promotes", &ElementArgument::promotes);
  mark(op, entry.suits, "suits", &ElementArgument::suits);
  mark(op, entry.exact_numbers, "exact_numbers", &ElementArgument::exact);
}

void Expressions::set_dtypes_of_bits(Operator& op, const OperatorEntry& entry) {
  const DTypeSet bits = *dtype_group("integral_or_bool"), wide = *dtype_group("wide_unsigned");
  if (!entry.dtypes) {
    op.dtypes = bits;
  } else if ((entry.dtypes->bits & ~(bits.bits | wide.bits)) != 0) {
    bits_conflict(op, entry, entry.dtypes_span, "dtypes", "has floats");
  }
  if (entry.promotion && entry.promotion->compute == ComputeRule::int_to_float)
    bits_conflict(op, entry, entry.promotion_span, "promotion", "makes floats");
}

// Whole numbers become floats before they are computed with.
void Expressions::check_dtypes_of_floats(const Operator& op, const OperatorEntry& entry) {
  if (!entry.dtypes || op.promotion.compute != ComputeRule::int_to_float) return;
  if ((entry.dtypes->bits & dtype_group("floating")->bits) != 0) return;
  sink_
      .error(Code::conflicting_statements, entry.dtypes_span,
             fmt::format("'dtypes' of '{}' has no floats, but its expr computes in them, whatever "
                         "it is given: no call would be possible",
                         op.full_name))
      .note(entry.expr->whole(), "the expression is here");
}

void Expressions::bits_conflict(const Operator& op, const OperatorEntry& entry, Span span,
                                std::string_view key, std::string_view what) {
  sink_
      .error(Code::conflicting_statements, span,
             fmt::format("'{}' of '{}' {}, but its expr takes bits of whole numbers", key,
                         op.full_name, what))
      .note(entry.expr->whole(), "the expression is here");
}

// Why a key cannot name an argument; empty if it can. Numbers of other types than Scalar have a
// dtype of their own: there is nothing to suit.
static std::string_view obstacle(const Operator& op, size_t index, std::string_view key) {
  const Type& type = op.schema.arguments[index].type;
  const bool scalar = type.base == BaseType::scalar && !type.list;
  if (key == "suits" && !scalar) return "is no Scalar, and so no number of any dtype";
  if (!scalar && !type.is_tensor()) return "is neither a tensor nor a Scalar: it has no dtype";
  const ElementArgument& read = op.element_arguments[index];
  if (!read.used) return "is not read by the expr";
  return read.as_boolean ? "is read as true or false by the expr" : "";
}

// Of the arguments that a key names.
void Expressions::mark(Operator& op, const std::vector<LocatedText>& names, std::string_view key,
                       bool ElementArgument::*member) {
  for (const LocatedText& word : names) {
    int index = op.schema.find_argument(word.text);
    if (index >= 0) {
      op.element_arguments[index].*member = true;
      const std::string_view why = obstacle(op, index, key);
      if (why.empty()) continue;
      sink_
          .error(
              Code::bad_value, word.whole(),
              fmt::format("'{}' of '{}' names '{}', which {}", key, op.full_name, word.text, why))
          .note(op.schema.arguments[index].span, "it is declared here");
      continue;
    }
    Suggester suggester(word.text);
    for (const Argument& argument : op.schema.arguments) suggester.offer(argument.name);
    sink_
        .error(Code::unknown_argument, word.whole(),
               fmt::format("'{}' has no argument '{}'", op.full_name, word.text))
        .suggest(suggester.best())
        .note(op.span, "the operator is declared here");
  }
}

// A formula over the operator's arguments that computes its results. `written`: as part of what is
// generated, of which tests are to notice mistakes.
const FormulaNode* Expressions::check_results(const Draft& draft, const LocatedText& text,
                                              std::string_view what, bool written) {
  const Operator& op = *draft.op;
  const Context context(
      sink_, op.span, fmt::format("in the {} of '{}', which is declared here", what, op.full_name));
  const SyntaxNode* syntax = parse_expression(text, storage_.syntax, sink_);
  if (!syntax) return nullptr;
  if (!writes_nothing(op, text, what)) return nullptr;
  if (op.schema.returns.empty()) {
    sink_.error(
        Code::wrong_form, text.whole(),
        fmt::format("'{}' cannot have a {} formula: it returns nothing", op.full_name, what));
    return nullptr;
  }
  std::vector<Type> wanted;
  for (const Return& result : op.schema.returns) wanted.push_back(result.type);
  FormulaScope scope{.schema = &op.schema, .op = &op};
  if (what == "composite") scope.parts = op.parts;
  const FormulaNode* formula =
      check_formula(*syntax, scope, wanted, storage_.formulas, *this, sink_);
  if (!written) return formula;
  if (formula && returns_argument(op, *formula, what)) return nullptr;
  if (storage_.keeps_written) {
    storage_.written.push_back(
        {draft.op, std::string(what), formula, syntax, scope, std::move(wanted)});
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
                          what, op.full_name));
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
void Expressions::add_parts(const Draft& draft) {
  Operator& op = *draft.op;
  const auto& written = draft.entry->rule.locals;
  op.parts.reserve(written.size());  // scopes point into it
  std::vector<FormulaExtent> extents;
  for (const auto& [name, value] : written) {
    const Context context(
        sink_, op.span,
        fmt::format("in the composite of '{}', which is declared here", op.full_name));
    if (!is_new_local(name, op.schema, op.parts, sink_)) continue;
    const SyntaxNode* syntax = parse_expression(value, storage_.syntax, sink_);
    const FormulaScope scope{.schema = &op.schema, .op = &op, .parts = op.parts};
    const FormulaNode* node =
        syntax ? check_value(*syntax, scope, storage_.formulas, *this, sink_) : nullptr;
    if (node && !check_local_value(*node, sink_)) node = nullptr;
    extents.push_back(node ? extent_of(*node, extents) : FormulaExtent());
    if (extents.back().operations > kMostOperations || extents.back().depth > kDeepest) {
      sink_.error(Code::too_large, value.whole(),
                  fmt::format("'{}' of '{}' comes to more than {} operations, or {} levels, with "
                              "the parts that it reads put in",
                              name.text, op.full_name, kMostOperations, kDeepest));
      node = nullptr;
    }
    op.parts.push_back({name.text, node});
    if (node && storage_.keeps_written)
      storage_.written.push_back({&op, "let", node, syntax, scope, {node->type}});
  }
}

void Expressions::check_composite(const Draft& draft) {
  if (draft.entry->rule.let_key) add_parts(draft);
  draft.op->composite = check_results(draft, *draft.entry->composite, "composite");
}

// What it calls is not the operator itself, as in every formula: it would be compared with itself.
void Expressions::check_reference(const Draft& draft) {
  draft.op->reference =
      check_results(draft, *draft.entry->reference, "reference", /*written=*/false);
}

void Expressions::check_batching(const Draft& draft) {
  draft.op->batching_formula = check_results(draft, *draft.entry->batching_formula, "batching");
}

}  // namespace opweave::codegen
