// Gradient statements: found, checked, completed.
#include "codegen/model/gradients/gradients.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/diagnostics/suggest.h"
#include "codegen/expr/element_places.h"
#include "codegen/model/gradients/agreement.h"
#include "codegen/model/gradients/kernel_statements.h"
#include "codegen/model/gradients/list_inputs.h"
#include "codegen/model/gradients/saved.h"

namespace opweave::codegen {
namespace {

// The type of the gradient of an argument.
Type gradient_type(const Type& argument) {
  Type type;
  type.list = argument.list;
  return type;
}

Span first_mention(const DerivativeEntry& entry, std::string_view argument) {
  for (const DerivativeEntry::Line& line : entry.lines) {
    for (const LocatedText& name : line.arguments) {
      if (name.text == argument) return name.whole();
    }
  }
  return {};
}

const FormulaNode* find_gradient(const FormulaNode& node, uint16_t output) {
  if (node.kind == FormulaKind::gradient && node.index == output) return &node;
  for (const FormulaNode* operand : node.operands) {
    if (const FormulaNode* found = find_gradient(*operand, output)) return found;
  }
  return nullptr;
}

// Where it is said that an output is not differentiable: in the entry, or by its type.
Span output_span(const Operator& op, const DerivativeEntry& entry, uint16_t output) {
  if (entry.output_differentiability) return entry.output_differentiability_span;
  return op.schema.returns[output].span;
}

}  // namespace

Gradients::Gradients(ModelStorage& storage, OperatorTable& table, const std::vector<Draft>& drafts,
                     Expressions& expressions, DiagnosticSink& sink)
    : storage_(storage),
      table_(table),
      drafts_(drafts),
      expressions_(expressions),
      sink_(sink),
      derived_(storage, table, expressions),
      folds_(storage, table, expressions, sink),
      forward_(storage, expressions, sink) {
  for (const Draft& draft : drafts_) draft_of_[draft.op] = &draft;
}

void Gradients::add(const std::vector<DerivativeEntry>& entries) {
  for (const DerivativeEntry& entry : entries) {
    const Operator* op = table_.find(entry.name.text);
    if (!op) {
      Suggester suggester(entry.name.text);
      for (const Draft& draft : drafts_) suggester.offer(draft.op->name.full);
      sink_
          .error(Code::unknown_operator, entry.name.whole(),
                 fmt::format("the entry is for '{}', which is no operator", entry.name.text))
          .suggest(suggester.best());
      continue;
    }
    check_target(entry, *op);
    auto [first, is_new] = entries_.emplace(op, entry);
    if (is_new) continue;
    sink_
        .error(Code::duplicate_derivative, entry.name.whole(),
               fmt::format("a second entry for '{}'", op->name.full))
        .note(first->second.name.whole(), "the first is here");
  }
}

void Gradients::check_target(const DerivativeEntry& entry, const Operator& op) {
  const Draft* draft = draft_of_.at(&op);
  if (draft->entry == nullptr || op.forms->form == Form::out) {
    sink_
        .error(Code::derived_form, entry.name.whole(),
               fmt::format("'{}' takes its gradient from '{}'", op.name.full,
                           op.forms->functional->name.full))
        .note(op.forms->functional->schema.name_span, "give the entry the name of that operator");
    return;
  }
  if (op.forms->form == Form::inplace && op.forms->functional->is_differentiated_through())
    return refuse_beside_composite(sink_, entry, op);
  if (draft->entry->differentiable.value_or(true)) return;
  sink_
      .error(Code::derivative_conflict, entry.name.whole(),
             fmt::format("'{}' is declared not to be differentiable", op.name.full))
      .note(draft->entry->differentiable_span, "it is said here");
}

void Gradients::add_imported(const std::vector<DerivativeEntry>& entries) {
  for (const DerivativeEntry& entry : entries) {
    const Operator* op = table_.find(entry.name.text);
    if (op != nullptr && op->origin.imported && op->is_expr()) entries_.emplace(op, entry);
  }
}

Gradient Gradients::use_formulas(const Operator& op, const DerivativeEntry* entry) {
  Derivative derivative;
  size_t errors_before = sink_.error_count();
  set_outputs(op, entry, derivative);
  if (entry) {
    derivative.keeps = entry->keeps;
    for (const DerivativeEntry::Line& line : entry->lines) {
      if (!forward_.is_forward(op, line)) add_line(op, line, derivative);
    }
  }
  // What could not be read may well be the gradient that seems to be missing.
  bool fine = sink_.error_count() == errors_before && !(entry && entry->damaged);
  if (fine) complete_inputs(op, entry, derivative);
  if (fine && entry) forward_.add(op, *entry, derivative);
  if (fine) derived_.derive_tangent(op, derivative);
  std::ranges::sort(derivative.formulas, {},
                    [](const DerivativeFormula& f) { return f.inputs.empty() ? 0 : f.inputs[0]; });
  collect_saved(derivative, op.schema);
  return {Differentiability::formula, &storage_.derivatives.emplace_back(std::move(derivative))};
}

void Gradients::set_outputs(const Operator& op, const DerivativeEntry* entry,
                            Derivative& derivative) {
  size_t count = op.schema.returns.size();
  for (const Return& result : op.schema.returns) {
    derivative.differentiable_outputs.push_back(result.type.is_tensor_like());
  }
  for (size_t i = 0; op.elements->fold != nullptr && i < count; ++i) {
    if (is_place(*op.elements->fold->results[i])) derivative.differentiable_outputs[i] = false;
  }
  if (!entry || !entry->output_differentiability) return;
  if (entry->output_differentiability->size() == count) {
    derivative.differentiable_outputs = *entry->output_differentiability;
    return;
  }
  sink_
      .error(
          Code::bad_value, entry->output_differentiability_span,
          fmt::format("'{}' has {} output{}, but 'output_differentiability' has {}", op.name.full,
                      count, count == 1 ? "" : "s", entry->output_differentiability->size()))
      .note(op.origin.span, "the operator is declared here");
}

bool Gradients::add_line(const Operator& op, const DerivativeEntry::Line& line,
                         Derivative& derivative) {
  DerivativeFormula formula;
  formula.span = line.arguments.front().whole();
  if (!add_inputs(op, line, derivative, formula)) return false;
  size_t at = derivative.formulas.size();
  derivative.formulas.push_back(formula);
  const bool refused = line.formula.text == "refused";
  if (!check_list_inputs(op, line, formula.inputs, sink_)) return false;
  if (refused || line.formula.text == "non_differentiable" || line.formula.text == "zero") {
    const bool zero = line.formula.text == "zero";
    derivative.formulas[at].refused = refused;
    derivative.formulas[at].kind =
        zero ? DerivativeFormula::Kind::zero : DerivativeFormula::Kind::non_differentiable;
    compare(op, line, derivative.formulas[at]);
    return true;
  }
  const Context context(sink_, op.origin.span,
                        fmt::format("in the gradient of '{}' with respect to '{}'", op.name.full,
                                    line.arguments.front().text));
  const SyntaxNode* syntax = parse_expression(line.formula, storage_.syntax, sink_);
  if (!syntax) return false;
  std::vector<Type> wanted;
  for (uint16_t input : formula.inputs) {
    wanted.push_back(gradient_type(op.schema.arguments[input].type));
  }
  FormulaScope scope{
      .schema = &op.schema, .op = &op, .is_derivative = true, .inputs = formula.inputs.size()};
  scope.is_complex = op.dtypes->takes_complex();
  derivative.formulas[at].formula =
      check_formula(*syntax, scope, wanted, storage_.formulas, expressions_, sink_);
  if (!derivative.formulas[at].formula) return false;
  Derivative only{.formulas = {derivative.formulas[at]}};
  collect_saved(only, op.schema);
  check_gradients_read(op, derivative, only.formulas[0], line.formula.whole());
  if (storage_.keeps_written) {
    storage_.written.push_back({&op, "gradient of " + std::string(line.arguments.front().text),
                                derivative.formulas[at].formula, syntax, scope, std::move(wanted)});
  }
  compare(op, line, derivative.formulas[at]);
  return true;
}

// With what the operator's own expression says.
void Gradients::compare(const Operator& op, const DerivativeEntry::Line& line,
                        DerivativeFormula& formula) {
  formula.agreement = check_agreement(op, formula, line.formula.whole(), sink_);
}

bool Gradients::add_inputs(const Operator& op, const DerivativeEntry::Line& line,
                           Derivative& derivative, DerivativeFormula& formula) {
  for (const LocatedText& name : line.arguments) {
    int index = op.schema.find_argument(name.text);
    if (index < 0) {
      Suggester suggester(name.text);
      std::vector<std::string> outputs;
      for (const Argument& argument : op.schema.arguments) suggester.offer(argument.name);
      for (size_t i = 0; i < op.schema.returns.size(); ++i) {
        outputs.push_back(result_name(op.schema, i));
      }
      for (const std::string& output : outputs) suggester.offer(output);
      sink_
          .error(Code::unknown_argument, name.whole(),
                 fmt::format("'{}' has no argument '{}'", op.name.full, name.text))
          .suggest(suggester.best())
          .note(op.origin.span, "the operator is declared here");
      return false;
    }
    const Type& type = op.schema.arguments[index].type;
    if (!type.is_tensor_like()) {
      sink_
          .error(Code::not_differentiable_input, name.whole(),
                 fmt::format("'{}' of '{}' is of type {}: only tensors have gradients", name.text,
                             op.name.full, print(type)))
          .note(op.schema.arguments[index].span, "it is declared here");
      return false;
    }
    auto input = static_cast<uint16_t>(index);
    if (derivative.formula_of(input) || std::ranges::count(formula.inputs, input)) {
      sink_
          .error(Code::duplicate_derivative, name.whole(),
                 fmt::format("a second gradient of '{}' with respect to '{}'", op.name.full,
                             name.text))
          .note(first_mention(entries_.at(&op), name.text), "the first is here");
      return false;
    }
    formula.inputs.push_back(input);
  }
  return !formula.inputs.empty();
}

void Gradients::check_gradients_read(const Operator& op, const Derivative& derivative,
                                     const DerivativeFormula& formula, Span span) {
  for (uint16_t output : formula.gradients) {
    if (output < derivative.differentiable_outputs.size() &&
        derivative.differentiable_outputs[output]) {
      continue;
    }
    const FormulaNode* read = find_gradient(*formula.formula, output);
    sink_
        .error(Code::out_of_bounds, read ? read->span : span,
               fmt::format("the formula reads the gradient of output {} of '{}', which is not "
                           "differentiable",
                           output, op.name.full))
        .note(output_span(op, entries_.at(&op), output), "it is said here");
  }
}

void Gradients::complete_folds(const Operator& op, Derivative& derivative) {
  ElementOp obstacle = ElementOp::count_;
  if (folds_.derive(op, derivative, obstacle)) return;
  sink_
      .error(Code::no_symbolic_derivative, op.schema.name_span,
             fmt::format("the gradients of '{}' cannot be derived: '{}' has no derivative here",
                         op.name.full, element_op_name(obstacle)))
      .note({}, gradient_statement(op));
}

void Gradients::complete_inputs(const Operator& op, const DerivativeEntry* entry,
                                Derivative& derivative) {
  if (op.elements->fold != nullptr) return complete_folds(op, derivative);
  for (uint16_t argument : op.tensor_arguments()) {
    if (derivative.formula_of(argument)) continue;
    const std::string& name = op.schema.arguments[argument].name;
    if (op.is_expr()) {
      DerivativeFormula& formula = derivative.formulas.emplace_back();
      ElementOp obstacle = ElementOp::count_;
      if (derived_.derive(op, argument, formula, obstacle)) continue;
      sink_
          .error(Code::no_symbolic_derivative, op.schema.name_span,
                 fmt::format(
                     "the gradient of '{}' with respect to '{}' cannot be derived: '{}' has no "
                     "derivative here",
                     op.name.full, name, element_op_name(obstacle)))
          .note({}, gradient_statement(op));
    } else if (entry) {
      sink_
          .error(Code::missing_derivative, entry->name.whole(),
                 fmt::format("the entry for '{}' says nothing about the tensor '{}'", op.name.full,
                             name))
          .note({}, fmt::format("give it a formula, or '{0}: zero', or '{0}: non_differentiable'",
                                name))
          .note(op.schema.arguments[argument].span, "it is declared here");
    }
  }
}

}  // namespace opweave::codegen
