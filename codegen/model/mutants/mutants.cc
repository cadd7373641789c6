// From every expression and formula that was written or derived to its mutants.
#include "codegen/model/mutants/mutants.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/expr/element_print.h"
#include "codegen/expr/element_walk.h"
#include "codegen/expr/mutations.h"
#include "codegen/model/forward/forward_terms.h"
#include "codegen/model/gradients/saved.h"
#include "codegen/model/pointwise/element_formula.h"
#include "codegen/rules/functions.h"

namespace opweave::codegen {
namespace {

class MutantMaker {
 public:
  MutantMaker(ModelStorage& storage, FormulaEnvironment& environment)
      : storage_(storage), environment_(environment), rewriter_(storage, environment) {}

  Mutants run() {
    for (const Operator& op : storage_.operators) {
      const bool owner = op.forms->form == Form::functional && !op.origin.imported;
      if (owner && op.is_expr()) mutate_expression(op);
    }
    for (const WrittenFormula& written : storage_.written) {
      if (!written.op->origin.imported) mutate_formula(written);
    }
    for (const DerivedGradient& derived : storage_.derived) mutate_gradient(derived);
    number();
    return Mutants(std::move(made_));
  }

 private:
  // Those of every node, and the other sign of the whole where it has one.
  template <typename Mistake>
  void each_mistake(const ElementNode& root, Mistake&& mistake) {
    walk(root, [&](const ElementNode& node) {
      for (const ElementNode* alternative : mutations(node, storage_.elements))
        mistake(node, *alternative);
    });
    if (root.type == ElementType::value)
      mistake(root, *storage_.elements.apply(ElementOp::negate, {&root}));
  }

  void mutate_expression(const Operator& op) {
    const auto names = argument_names(op);
    const auto mistake = [&](const ElementNode& node, const ElementNode& alternative) {
      // Equal nodes of several operators are one: its own place may be another entry.
      Mutant& mutant = add(op, "expr", {}, change(node, alternative, names));
      mutant.of_element = &node;
      mutant.element = &alternative;
    };
    each_mistake(*op.elements->expr, mistake);
  }

  void mutate_formula(const WrittenFormula& written) {
    for (const SyntaxMutation& mutation :
         mutations(*written.syntax, sign_of(written.scope), storage_.syntax)) {
      DiagnosticSink unheard;  // what the checker refuses nobody could write
      FormulaEnvironment& callable = written.scope.is_rule ? rules_ : environment_;
      const FormulaNode* formula = check_formula(*mutation.tree, written.scope, written.wanted,
                                                 storage_.formulas, callable, unheard);
      if (!formula || unheard.has_errors()) continue;
      add_formula(written, *formula, mutation.span, mutation.change);
    }
  }

  static FlippedSign sign_of(const FormulaScope& scope) {
    if (scope.is_forward) return FlippedSign::tangents;
    return scope.is_derivative ? FlippedSign::gradients : FlippedSign::value;
  }

  // A derived gradient that is a formula; others are calls of operators with an expression.
  void mutate_gradient(const DerivedGradient& derived) {
    const auto names = argument_names(*derived.written.op);
    const auto mistake = [&](const ElementNode& node, const ElementNode& alternative) {
      const ElementNode* tree = replace(*derived.tree, node, alternative, storage_.elements);
      if (const FormulaNode* formula = rewriter_.rewrite(*derived.written.op, *tree))
        add_formula(derived.written, *formula, {}, change(node, alternative, names));
    };
    each_mistake(*derived.tree, mistake);
  }

  void add_formula(const WrittenFormula& written, const FormulaNode& formula, Span span,
                   std::string change) {
    if (written.scope.is_derivative && !reads_what_is_saved(written, formula)) return;
    if (written.scope.is_forward && !is_forward_rule(written, formula)) return;
    Mutant& mutant = add(*written.op, written.where, span, std::move(change));
    mutant.of_formula = written.formula;
    mutant.formula = &formula;
  }

  static bool reads_what_is_saved(const WrittenFormula& written, const FormulaNode& formula) {
    Derivative alone{.formulas = {DerivativeFormula{.formula = &formula}}};
    collect_saved(alone, written.op->schema);
    const auto kept = [&](const Saved& saved) {
      return std::ranges::any_of(written.op->gradient->derivative->saved, [&](const Saved& known) {
        return known.kind == saved.kind && known.index == saved.index &&
               known.property == saved.property && known.node == saved.node;
      });
    };
    return std::ranges::all_of(alone.saved, kept);
  }

  // What the generator refuses as a rule nobody could write.
  static bool is_forward_rule(const WrittenFormula& written, const FormulaNode& formula) {
    DiagnosticSink unheard;
    return check_terms(forward_terms(formula), *written.op, *written.op->gradient->derivative,
                       unheard);
  }

  Mutant& add(const Operator& op, std::string where, Span span, std::string change) {
    return made_[&op].emplace_back(Mutant{.where = std::move(where),
                                          .change = std::move(change),
                                          .span = span ? span : op.origin.span});
  }

  static std::string change(const ElementNode& from, const ElementNode& to,
                            const std::vector<std::string>& names) {
    return fmt::format("{} -> {}", print(from, names), print(to, names));
  }

  static std::vector<std::string> argument_names(const Operator& op) {
    std::vector<std::string> names;
    for (const Argument& argument : op.schema.arguments) names.push_back(argument.name);
    return names;
  }

  void number() {
    int id = 0;
    for (const Operator& op : storage_.operators) {
      for (Mutant& mutant : made_[&op]) mutant.id = ++id;
    }
  }

  ModelStorage& storage_;
  FormulaEnvironment& environment_;
  RuleEnvironment rules_;
  ElementFormula rewriter_;
  std::unordered_map<const Operator*, std::vector<Mutant>> made_;
};

}  // namespace

Mutants make_mutants(ModelStorage& storage, FormulaEnvironment& environment) {
  return MutantMaker(storage, environment).run();
}

}  // namespace opweave::codegen
