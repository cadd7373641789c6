// What JAX cannot be given.
#include <set>
#include <string>

#include "codegen/emit/extension/checker.h"
#include "codegen/emit/extension/operators.h"
#include "codegen/emit/jax/face.h"
#include "codegen/emit/jax/jax.h"

namespace opweave::codegen {
namespace {

constexpr Framework kJax{"JAX", "jax", Code::not_for_jax, RuleLibrary::jax};

class JaxChecker : ExtensionChecker {
 public:
  JaxChecker(const Operator& op, DiagnosticSink& sink) : ExtensionChecker(kJax, op, sink) {}

  void check() {
    if (!op_.is_generated()) check_entry();
    for_each_jax_formula(op_, [this](const FormulaNode& formula) { check_formula(formula); });
  }

 private:
  // Operators that are derived from an entry have what it has.
  void check_entry() {
    check_computation();
    for (const Argument& argument : op_.schema.arguments) check_type(argument);
    check_results();
    for (const Return& result : op_.schema.returns) {
      if (!result.type.is_tensor_like()) refuse(result.span, "a result that is no tensor");
    }
  }

  void check_computation() {
    if (!op_.effects.mutated.empty())
      return refuse(op_.schema.arguments[op_.effects.mutated.front()].type_span,
                    "an argument that is written (arrays of JAX never are)");
    if (op_.formulas->composite != nullptr) return check_conditions();
    if (op_.is_view()) return refuse(op_.schema.span, "a result that is a view");
    if (op_.is_fold()) return refuse(op_.schema.span, "an expression that folds");
    op_.is_expr() ? check_expression() : check_kernel();
  }

  void check_kernel() {
    if (!op_.has_target("cpu")) refuse(op_.schema.span, "a kernel, and none for the CPU");
    if (!op_.fills_results())
      return refuse(op_.schema.span, "a kernel and no rule (`result`) that says what it gives");
    check_rule();
    if (op_.rule == nullptr) return;
    for_each_formula(*op_.rule, [&](const FormulaNode& node) { check_nodes(node); });
  }

  void check_nodes(const FormulaNode& node) {
    if (const std::string obstacle = jax_obstacle(node); !obstacle.empty())
      refuse(node.span, obstacle);
    for (const FormulaNode* operand : node.operands) check_nodes(*operand);
  }

  // Of what formulas call, those that are printed are looked through.
  void check_formula(const FormulaNode& node) {
    if (const std::string obstacle = obstacle_in(node); !obstacle.empty())
      return refuse(node.span, obstacle);
    for (const FormulaNode* operand : node.operands) check_formula(*operand);
  }

  std::string obstacle_in(const FormulaNode& node) {
    if (node.kind == FormulaKind::function)
      return "the function '" + node.function->base_name + "' of rules in a formula";
    if (std::string obstacle = jax_obstacle(node); !obstacle.empty()) return obstacle;
    const bool is_printed = node.kind == FormulaKind::call &&
                            jax_way(*node.op) == JaxWay::composite && !node.op->is_emitted();
    if (!is_printed || !seen_.insert(node.op).second) return {};
    const std::string found = obstacle_within(*node.op->formulas->composite);
    return found.empty() ? found : found + " (by way of '" + node.op->name.full + "')";
  }

  std::string obstacle_within(const FormulaNode& node) {
    if (std::string obstacle = obstacle_in(node); !obstacle.empty()) return obstacle;
    for (const FormulaNode* operand : node.operands) {
      if (std::string obstacle = obstacle_within(*operand); !obstacle.empty()) return obstacle;
    }
    return {};
  }

  std::set<const Operator*> seen_;
};

}  // namespace

void check_jax(const Model& model, DiagnosticSink& sink) {
  for (const Operator* op : extension_operators(model)) JaxChecker(*op, sink).check();
}

}  // namespace opweave::codegen
