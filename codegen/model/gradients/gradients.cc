// Gradient statements: found, checked, completed.
#include "codegen/model/gradients/gradients.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/diagnostics/suggest.h"
#include "codegen/model/gradients/agreement.h"
#include "codegen/model/gradients/kernel_statements.h"
#include "codegen/model/gradients/list_inputs.h"
#include "codegen/model/gradients/saved.h"

namespace opweave::codegen {
namespace {

bool returns_tensor(const Schema& schema) {
  return std::ranges::any_of(schema.returns,
                             [](const Return& r) { return r.type.is_tensor_like(); });
}

// A result that is none of the arguments that are written.
bool returns_another_tensor(const Operator& op) {
  return std::ranges::any_of(op.schema.returns, [](const Return& r) {
    return r.type.is_tensor_like() && !r.type.is_mutated();
  });
}

// The type of the gradient of an argument.
Type gradient_type(const Type& argument) {
  Type type;
  type.list = argument.list;
  return type;
}

std::string statement_help(const Operator& op) {
  return fmt::format(
      "write an entry '- name: {}' in derivatives.yaml, or 'differentiable: false' here",
      op.name.full);
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

void Gradients::complete(bool imported) {
  for (const Draft& draft : drafts_) {
    if (draft.entry && !draft.op->origin.imported) decided_[draft.op] = decide(draft);
  }
  for (const Draft& draft : drafts_) {
    if (imported && draft.entry && draft.op->origin.imported)
      decided_[draft.op] = decide_imported(draft);
  }
  for (const Draft& draft : drafts_) {
    const Form form = draft.op->forms->form;
    const bool follows = form == Form::inplace || form == Form::out;
    draft.op->gradient.give(follows ? derive_form(*draft.op) : decided_[draft.op]);
  }
  derived_.complete();
}

// Whether there is anything to differentiate, and something to differentiate by.
bool Gradients::has_gradient(const Draft& draft) const {
  const Operator& op = *draft.op;
  if (!draft.entry->differentiable.value_or(true)) return false;
  bool in_and_out =
      !op.tensor_arguments().empty() && (returns_tensor(op.schema) || !op.effects.mutated.empty());
  bool floating = op.dtypes->computed.bits & dtypes::kFloating;
  bool boolean_result = op.is_expr() && op.elements->promotion.result == ResultRule::boolean;
  return in_and_out && floating && !boolean_result;
}

// The kernel of autograd for what writes an argument records the write, and no result beside it.
void Gradients::refuse_result_beside(const Operator& op, const DerivativeEntry& entry) {
  sink_
      .error(
          Code::derivative_conflict, entry.name.whole(),
          fmt::format("'{}' writes '{}' and returns another tensor, which cannot be differentiated",
                      op.name.full, op.schema.arguments[op.effects.mutated.front()].name))
      .note(op.origin.span, "return what is written, or nothing; or let another operator write");
}

Gradient Gradients::decide(const Draft& draft) {
  const Operator& op = *draft.op;
  auto found = entries_.find(&op);
  const DerivativeEntry* entry = found == entries_.end() ? nullptr : &found->second;
  if (entry && op.forms->form == Form::manual && returns_another_tensor(op)) {
    refuse_result_beside(op, *entry);
    return {};
  }
  if (entry && says_not_implemented(*entry)) return refuse_backward(op, *entry);
  if (entry) return use_formulas(op, entry);
  if (!has_gradient(draft)) return {};
  if (op.is_expr()) return use_formulas(op, nullptr);
  // The functional form decides for them.
  if (op.forms->form == Form::inplace || op.forms->form == Form::out) return {};
  if (op.is_differentiated_through()) return {Differentiability::through};
  if (!op.computation->targets.empty() && !draft.entry->damaged) {
    sink_
        .error(Code::no_gradient_statement, op.schema.name_span,
               fmt::format("'{}' does not say how it is differentiated", op.name.full))
        .note({}, statement_help(op));
  }
  return {};
}

// An in-place or out form that says nothing itself has the gradient of the functional form.
Gradient Gradients::derive_form(const Operator& form) const {
  const auto own = decided_.find(&form);
  const bool says =
      own != decided_.end() && own->second.differentiability != Differentiability::none;
  const auto functional = decided_.find(form.forms->functional);
  if (says || functional == decided_.end()) return says ? own->second : Gradient();
  return functional->second;
}

// What cannot be derived is a matter of that library, which has said so.
Gradient Gradients::decide_imported(const Draft& draft) {
  const Operator& op = *draft.op;
  if (!op.is_expr() || op.forms->form != Form::functional || !has_gradient(draft)) return {};
  if (const auto found = entries_.find(&op); found != entries_.end())
    return says_not_implemented(found->second) ? Gradient() : use_formulas(op, &found->second);
  return derived_.derive_all(op).value_or(Gradient());
}

// Of all arguments or of none: the node of a call either runs or refuses to.
bool Gradients::says_not_implemented(const DerivativeEntry& entry) {
  const auto says = [](const DerivativeEntry::Line& line) {
    return line.formula.text == "not_implemented";
  };
  const auto found = std::ranges::find_if(entry.lines, says);
  if (found == entry.lines.end()) return false;
  const auto other = std::ranges::find_if_not(entry.lines, says);
  if (other == entry.lines.end()) return true;
  sink_
      .error(
          Code::derivative_conflict, found->formula.whole(),
          fmt::format("'not_implemented' is said of all arguments of '{}' or of none: a backward "
                      "pass through a call either runs or is an error",
                      entry.name.text))
      .note(other->formula.whole(), "this one has a gradient");
  return true;
}

Gradient Gradients::refuse_backward(const Operator& op, const DerivativeEntry& entry) {
  Derivative named;
  bool fine = !entry.damaged;
  for (const DerivativeEntry::Line& line : entry.lines) {
    DerivativeFormula formula;
    fine = add_inputs(op, line, named, formula) && fine;
    named.formulas.push_back(std::move(formula));
  }
  if (fine && !op.is_expr()) complete_inputs(op, &entry, named);
  return {Differentiability::not_implemented};
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

void Gradients::complete_inputs(const Operator& op, const DerivativeEntry* entry,
                                Derivative& derivative) {
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
          .note({}, statement_help(op));
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
