// The checker of rules: one for each entry.
#include "codegen/model/rules/rule_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "codegen/diagnostics/suggest.h"
#include "codegen/model/rules/fold_rule.h"
#include "codegen/model/rules/message.h"
#include "codegen/model/rules/rule_checks.h"
#include "codegen/model/rules/view_checks.h"
#include "codegen/rules/functions.h"

namespace opweave::codegen {
namespace {

bool is_fresh_tensor(const Return& result) {
  return result.type.is_tensor() && !result.type.alias && !result.type.optional;
}

class RuleChecker {
 public:
  RuleChecker(ModelStorage& storage, const Draft& draft, FormulaEnvironment& operators,
              DiagnosticSink& sink)
      : storage_(storage),
        op_(*draft.op),
        entry_(draft.entry->rule),
        sink_(sink),
        described_(op_.evaluates_results() ? nullptr : &operators) {
    scope_.schema = &op_.schema;
    scope_.op = &op_;
    scope_.is_rule = true;
    scope_.parts = op_.formulas->parts;
    rule_.locals.reserve(entry_.locals.size());  // scopes point into it
  }

  // Null if there is none, or after a report.
  const Rule* check() {
    if (!may_have_rule()) return nullptr;
    const Context context(
        sink_, op_.origin.span,
        fmt::format("in the rule of '{}', which is declared here", op_.name.full));
    const size_t errors = sink_.error_count();
    environment_ = runs() ? &checked_ : &described_;
    // Of a composite they are parts of the formula (Expressions), and no condition sees them.
    const bool formula = op_.computation->implementation == Implementation::composite;
    if (formula) {
      check_parts();
    } else {
      for (const auto& [name, value] : entry_.locals) add_local(name, value);
    }
    for (const auto& [condition, message] : entry_.requirements)
      add_requirement(condition, message);
    environment_ = &described_;
    if (entry_.result_key) add_outputs();
    rule_.data = entry_.data;
    if (sink_.error_count() == errors) check_sense(rule_, entry_, op_.schema, sink_);
    if (sink_.error_count() == errors && op_.is_view_of_rule()) check_view(op_, rule_, sink_);
    const bool empty = formula && rule_.requirements.empty();
    if (empty || sink_.error_count() != errors) return nullptr;
    return &storage_.rules.emplace_back(std::move(rule_));
  }

 private:
  // Whether calls evaluate what is required, and not the generator alone.
  bool runs() const { return op_.evaluates_results() || !entry_.requirements.empty(); }

  void conflict(Span span, std::string message) {
    sink_.error(Code::conflicting_statements, span, std::move(message))
        .note(op_.origin.span, "the operator is declared here");
  }

  // Of a formula everything follows from the operators that it is made of.
  bool may_have_rule() {
    const Span key = entry_.result_key    ? *entry_.result_key
                     : entry_.require_key ? *entry_.require_key
                                          : *entry_.let_key;
    if (op_.computation->implementation == Implementation::composite) return may_have_conditions();
    if (op_.computation->implementation != Implementation::kernels) {
      conflict(key,
               fmt::format("'{}' has no kernels of its own: what its results look like follows "
                           "from the operators that it is made of",
                           op_.name.full));
      return false;
    }
    if (entry_.calls && !op_.calls_operators()) {
      conflict(*entry_.require_key,
               fmt::format("'{}' reads and writes memory: conditions say what it requires",
                           op_.name.full));
      return false;
    }
    return !op_.has_hardware_kernel() || may_be_filled();
  }

  // What a formula gives follows from the operators that it is made of, and so does most of what it
  // requires.
  bool may_have_conditions() {
    if (entry_.calls) {
      conflict(*entry_.require_key,
               fmt::format("'{}' is a formula, of calls alone: nothing has to be said of it",
                           op_.name.full));
    } else if (entry_.result_key) {
      conflict(*entry_.result_key,
               fmt::format("'{}' has no kernels of its own: what its results look like follows "
                           "from the operators that it is made of",
                           op_.name.full));
    }
    return !entry_.calls && !entry_.result_key;
  }

  bool may_be_filled() {
    if (!entry_.result_key) return true;
    if (!op_.effects.mutated.empty()) {
      conflict(
          *entry_.result_key,
          fmt::format("'{}' writes its arguments: it has no results to describe", op_.name.full));
      return false;
    }
    if (entry_.data || std::ranges::all_of(op_.schema.returns, is_fresh_tensor)) return true;
    conflict(*entry_.result_key,
             fmt::format("'{}' returns something else than new tensors: say 'result: data'",
                         op_.name.full));
    return false;
  }

  const FormulaNode* formula(const LocatedText& text, const Type& wanted) {
    const SyntaxNode* syntax = parse_expression(text, storage_.syntax, sink_);
    if (!syntax) return nullptr;
    scope_.locals = rule_.locals;
    const FormulaNode* node =
        check_formula(*syntax, scope_, {&wanted, 1}, storage_.formulas, *environment_, sink_);
    keep(node, *syntax, wanted);
    return node;
  }

  const FormulaNode* formula_of_any_type(const LocatedText& text) {
    const SyntaxNode* syntax = parse_expression(text, storage_.syntax, sink_);
    if (!syntax) return nullptr;
    scope_.locals = rule_.locals;
    const FormulaNode* node = check_value(*syntax, scope_, storage_.formulas, *environment_, sink_);
    if (node) keep(node, *syntax, node->type);
    return node;
  }

  // Of a message, whose words no test can know but by heart: without mutants.
  const FormulaNode* printed_value(const LocatedText& text) {
    const SyntaxNode* syntax = parse_expression(text, storage_.syntax, sink_);
    if (!syntax) return nullptr;
    scope_.locals = rule_.locals;
    return check_value(*syntax, scope_, storage_.formulas, *environment_, sink_);
  }

  // For mutants.
  void keep(const FormulaNode* node, const SyntaxNode& syntax, const Type& wanted) {
    if (!storage_.keeps_written || !node || environment_->has_operators()) return;
    storage_.written.push_back({&op_, "rule", node, &syntax, scope_, {wanted}});
  }

  // Something has to read each part.
  void check_parts() {
    std::set<size_t> read;
    const auto visit = [&](const auto& self, const FormulaNode& node) -> void {
      if (node.kind == FormulaKind::named && !read.insert(node.index).second) return;
      for (const FormulaNode* operand : node.operands) self(self, *operand);
    };
    const Formulas& formulas = *op_.formulas;
    if (formulas.composite == nullptr) return;
    visit(visit, *formulas.composite);
    for (size_t i = 0; i < formulas.parts.size(); ++i) {
      if (!read.contains(i))
        sink_.error(Code::idle_rule, entry_.locals[i].first.whole(),
                    fmt::format("nothing reads the value '{}'", formulas.parts[i].name));
    }
  }

  void add_local(const LocatedText& name, const LocatedText& value) {
    if (!is_new_local(name, op_.schema, rule_.locals, sink_)) return;
    const FormulaNode* node = formula_of_any_type(value);
    // What only describes results is evaluated by the generator alone.
    if (node && runs() && !check_local_value(*node, sink_)) node = nullptr;
    rule_.locals.push_back({name.text, node});
  }

  void add_requirement(const LocatedText& condition, const LocatedText& text) {
    Requirement requirement;
    requirement.span = condition.whole();
    requirement.condition = formula(condition, plain_type(BaseType::boolean));
    const std::optional<Message> message = read_message(text, sink_);
    if (!message) return;
    requirement.error = message->error;
    for (const MessagePiece& piece : message->pieces) {
      const FormulaNode* value = piece.expression ? printed_value(*piece.expression) : nullptr;
      if (value && !is_printable(*value)) return;
      requirement.message.push_back({piece.text, value});
    }
    rule_.requirements.push_back(std::move(requirement));
  }

  bool is_printable(const FormulaNode& value) {
    const bool list = value.type.list && value.type.base != BaseType::integer;
    const bool fits = !list && !value.type.optional && !value.type.is_tensor_like() &&
                      value.type.base != BaseType::none && value.type.base != BaseType::options;
    if (!fits) {
      sink_.error(Code::type_mismatch, value.span,
                  fmt::format("a value of type {} cannot stand in a message", print(value.type)));
    }
    return fits;
  }

  void add_outputs() {
    if (entry_.data) return;
    if (entry_.like || is_like_a_call()) return add_like();
    const auto& returns = op_.schema.returns;
    for (const OutputEntry& output : entry_.outputs) check_name(output);
    for (size_t i = 0; i < returns.size(); ++i) {
      if (const OutputEntry* output = find_output(i)) {
        rule_.outputs.push_back(output_rule(*output));
      } else {
        sink_.error(Code::missing_result, *entry_.result_key,
                    fmt::format("nothing is said about the result '{}' of '{}'",
                                result_name(op_.schema, i), op_.name.full));
      }
    }
  }

  // Whether the one expression for the only result is a tensor, and not sizes.
  bool is_like_a_call() {
    if (environment_->has_operators() && entry_.outputs.size() == 1 && entry_.outputs[0].size) {
      const LocatedText& text = *entry_.outputs[0].size;
      DiagnosticSink unheard;  // what is wrong is reported where it is read as what it is
      const SyntaxNode* syntax = parse_expression(text, storage_.syntax, unheard);
      scope_.locals = rule_.locals;
      const FormulaNode* node =
          syntax ? check_value(*syntax, scope_, storage_.formulas, *environment_, unheard)
                 : nullptr;
      return node && node->type.is_tensor_like();
    }
    return false;
  }

  // Results look like those of a formula over operators.
  void add_like() {
    const LocatedText& text = entry_.like ? *entry_.like : *entry_.outputs[0].size;
    if (!environment_->has_operators()) {
      sink_.error(Code::wrong_kind, text.whole(),
                  fmt::format("'result' of '{}' must be a mapping from results to their rules: its "
                              "kernels fill results that its rule describes",
                              op_.name.full));
      return;
    }
    std::vector<Type> wanted;
    for (const Return& result : op_.schema.returns) wanted.push_back(result.type);
    const SyntaxNode* syntax = parse_expression(text, storage_.syntax, sink_);
    if (!syntax) return;
    scope_.locals = rule_.locals;
    rule_.like = check_formula(*syntax, scope_, wanted, storage_.formulas, *environment_, sink_);
  }

  const OutputEntry* find_output(size_t index) const {
    if (op_.schema.returns.size() == 1)
      return entry_.outputs.empty() ? nullptr : &entry_.outputs[0];
    for (const OutputEntry& output : entry_.outputs) {
      if (output.name.text == result_name(op_.schema, index)) return &output;
    }
    return nullptr;
  }

  void check_name(const OutputEntry& output) {
    if (op_.schema.returns.size() == 1) return;
    Suggester suggester(output.name.text);
    for (size_t i = 0; i < op_.schema.returns.size(); ++i) {
      const std::string name = result_name(op_.schema, i);
      if (name == output.name.text) return;
      suggester.offer(name);
    }
    sink_
        .error(Code::missing_result, output.name.whole(),
               fmt::format("'{}' has no result '{}'", op_.name.full, output.name.text))
        .suggest(suggester.best());
  }

  OutputRule output_rule(const OutputEntry& output) {
    OutputRule rule;
    rule.sizes = output.listed ? list_of(output) : sizes(output);
    if (output.dtype) rule.dtype = formula(*output.dtype, plain_type(BaseType::scalar_type));
    if (output.device) rule.device = formula(*output.device, plain_type(BaseType::device));
    if (output.strides) rule.strides = formula(*output.strides, list_type(BaseType::integer));
    if (output.offset) rule.offset = offset(*output.offset);
    if (output.when) rule.when = formula(*output.when, plain_type(BaseType::boolean));
    const bool has_tensor = reference_tensor(op_.schema) >= 0;
    const bool made = op_.has_hardware_kernel();  // from the rule
    if (made && !has_tensor && (!output.dtype || !output.device)) {
      sink_.error(
          Code::missing_result, output.span,
          fmt::format("'{}' takes no tensor: its result's dtype and device have to be given",
                      op_.name.full));
    }
    return rule;
  }

  const FormulaNode* offset(const LocatedText& text) {
    if (!op_.is_view()) {
      conflict(text.whole(),
               fmt::format("'{}' makes a new tensor: only a view has an offset, in the "
                           "memory of what it views",
                           op_.name.full));
    }
    return formula(text, plain_type(BaseType::integer));
  }

  const FormulaNode* sizes(const OutputEntry& output) {
    if (output.size) return formula(*output.size, list_type(BaseType::integer));
    sink_.error(Code::missing_result, output.span, "the sizes of the result are missing");
    return nullptr;
  }

  const FormulaNode* list_of(const OutputEntry& output) {
    std::vector<const FormulaNode*> items;
    for (const LocatedText& text : output.sizes) {
      const FormulaNode* item = formula(text, plain_type(BaseType::integer));
      if (!item) return nullptr;
      items.push_back(item);
    }
    return &storage_.formulas.make(FormulaKind::list, list_type(BaseType::integer), output.span,
                                   items);
  }

  ModelStorage& storage_;
  const Operator& op_;
  const RuleEntry& entry_;
  DiagnosticSink& sink_;
  RuleEnvironment checked_, described_;  // of what calls evaluate; of what describes results
  RuleEnvironment* environment_ = &described_;
  FormulaScope scope_;
  Rule rule_;
};

}  // namespace

const Rule* check_rule(ModelStorage& storage, const Draft& draft, FormulaEnvironment& operators,
                       DiagnosticSink& sink) {
  if (!draft.entry) return draft.op->forms->functional->rule;
  if (draft.op->is_fold()) complete_fold_rule(*draft.op, *draft.entry, storage);
  if (draft.entry->rule.given()) return RuleChecker(storage, draft, operators, sink).check();
  if (draft.op->is_view_of_rule()) check_view(*draft.op, {}, sink);
  return nullptr;
}

void check_rules(ModelStorage& storage, const std::vector<Draft>& drafts,
                 FormulaEnvironment& operators, DiagnosticSink& sink) {
  // Derived forms follow what they are derived from.
  for (const Draft& draft : drafts)
    draft.op->rule.give(check_rule(storage, draft, operators, sink));
}

static bool makes_tensors(const Operator& op) {
  return op.effects.mutated.empty() &&
         std::ranges::any_of(op.schema.returns,
                             [](const Return& result) { return result.type.is_tensor_like(); });
}

// Formulas call an internal operator with what fits; others reach it as well, as
// `opweave.ops.NAME`.
static void check_required(const Operator& op, const RuleEntry& entry, DiagnosticSink& sink) {
  if (!op.face->internal || entry.require_key || op.is_view_of_rule()) return;
  Diagnostic& error =
      sink.error(Code::missing_rule, op.schema.name_span,
                 fmt::format("nothing says what '{}' requires of its arguments", op.name.full));
  error.note({}, "formulas are not its only callers: 'opweave.ops' reaches it with anything");
  error.note({}, op.calls_operators()
                     ? "give it 'require', or require: calls where the operators that it calls "
                       "refuse whatever does not fit"
                     : "give it 'require' with conditions and their messages");
}

void check_rules_given(const std::vector<Draft>& drafts, DiagnosticSink& sink) {
  for (const Draft& draft : drafts) {
    const Operator& op = *draft.op;
    if (!draft.entry || op.origin.imported ||
        op.computation->implementation != Implementation::kernels)
      continue;
    check_required(op, draft.entry->rule, sink);
    // What is called by other operators alone is described by theirs.
    if (op.face->internal && !op.evaluates_results()) continue;
    if (!makes_tensors(op) || (op.rule && op.rule->describes_results())) continue;
    sink.error(Code::missing_rule, op.schema.name_span,
               fmt::format("no rule says what the results of '{}' look like", op.name.full))
        .note({},
              "give it 'result', such as result: self.sizes(), or result: data where the "
              "elements decide");
  }
}

}  // namespace opweave::codegen
