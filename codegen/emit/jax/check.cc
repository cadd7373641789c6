// What JAX cannot be given.
#include <algorithm>
#include <set>
#include <string>

#include "codegen/emit/extension/operators.h"
#include "codegen/emit/jax/face.h"
#include "codegen/emit/jax/jax.h"

namespace opweave::codegen {
namespace {

constexpr std::string_view kRuleFunctions[] = {
#define OPWEAVE_JAX_RULE(name) #name,
#include "codegen/emit/jax/rule_functions.def"
};

class JaxChecker {
 public:
  JaxChecker(const Operator& op, DiagnosticSink& sink) : op_(op), sink_(sink) {}

  void check() {
    if (!op_.generated) check_entry();
    for_each_jax_formula(op_, [this](const FormulaNode& formula) { check_formula(formula); });
  }

 private:
  // Operators that are derived from an entry have what it has.
  void check_entry() {
    check_computation();
    for (const Argument& argument : op_.schema.arguments) check_argument(argument);
    for (const Return& result : op_.schema.returns) {
      if (result.type.list) refuse(result.span, "a result that is a list");
      if (!result.type.is_tensor_like()) refuse(result.span, "a result that is no tensor");
    }
  }

  void check_computation() {
    if (!op_.mutated.empty())
      return refuse(op_.schema.arguments[op_.mutated.front()].type_span,
                    "an argument that is written (arrays of JAX never are)");
    if (op_.is_view() && op_.composite == nullptr)
      return refuse(op_.schema.span, "a result that is a view");
    if (op_.composite != nullptr) return check_composite();
    if (!op_.is_expr()) return check_kernel();
    if ((op_.dtypes.bits & dtypes::kCommon) == 0)
      refuse(op_.schema.span, "an operator of none but float8 and wide unsigned dtypes");
  }

  void check_composite() {
    if (op_.has_conditions())
      refuse(op_.rule->requirements.front().span, "a formula with conditions of its own");
  }

  void check_kernel() {
    if (!op_.has_target("cpu")) refuse(op_.schema.span, "a kernel, and none for the CPU");
    if (!op_.fills_results())
      return refuse(op_.schema.span, "a kernel and no rule (`result`) that says what it gives");
    if (op_.rule == nullptr) return;
    for (const OutputRule& output : op_.rule->outputs) {
      if (output.strides != nullptr)
        refuse(output.strides->span, "a result with strides of its own");
      if (output.when != nullptr) refuse(output.when->span, "a result that there may be none of");
    }
    for_each_formula(*op_.rule, [&](const FormulaNode& node) { check_rule(node); });
  }

  void check_rule(const FormulaNode& node) {
    const bool is_call = node.kind == FormulaKind::function;
    if (is_call &&
        std::ranges::find(kRuleFunctions, node.function->base_name) == std::end(kRuleFunctions))
      refuse(node.span, "a rule that calls '" + node.function->base_name + "'");
    if (const std::string obstacle = jax_obstacle(node); !obstacle.empty())
      refuse(node.span, obstacle);
    for (const FormulaNode* operand : node.operands) check_rule(*operand);
  }

  void check_argument(const Argument& argument) {
    const Type& type = argument.type;
    if (type.is_tensor_list() && type.element_optional)
      refuse(argument.type_span, "a list of tensors that may be None");
    if (type.base == BaseType::object)
      refuse(argument.type_span, "the type '" + std::string(type.object) + "' of Opweave alone");
  }

  // Of what formulas call, those that are printed are looked through.
  void check_formula(const FormulaNode& node) {
    if (node.kind == FormulaKind::function)
      return refuse(node.span,
                    "the function '" + node.function->base_name + "' of rules in a formula");
    if (const std::string obstacle = obstacle_in(node); !obstacle.empty())
      return refuse(node.span, obstacle);
    for (const FormulaNode* operand : node.operands) check_formula(*operand);
  }

  std::string obstacle_in(const FormulaNode& node) {
    if (std::string obstacle = jax_obstacle(node); !obstacle.empty()) return obstacle;
    if (node.kind != FormulaKind::call || jax_way(*node.op) != JaxWay::composite ||
        node.op->is_emitted())
      return {};
    if (!seen_.insert(node.op).second) return {};
    const std::string found = obstacle_within(*node.op->composite);
    return found.empty() ? found : found + " (by way of '" + node.op->full_name + "')";
  }

  std::string obstacle_within(const FormulaNode& node) {
    if (node.kind == FormulaKind::function)
      return "the function '" + node.function->base_name + "' of rules in a formula";
    if (std::string obstacle = obstacle_in(node); !obstacle.empty()) return obstacle;
    for (const FormulaNode* operand : node.operands) {
      if (std::string obstacle = obstacle_within(*operand); !obstacle.empty()) return obstacle;
    }
    return {};
  }

  void refuse(Span where, const std::string& feature) {
    sink_
        .error(Code::not_for_jax, where,
               "'" + op_.full_name + "' has " + feature + ", which cannot be emitted for JAX")
        .note({}, "opweave gen without --emit=jax can build it");
  }

  const Operator& op_;
  DiagnosticSink& sink_;
  std::set<const Operator*> seen_;
};

}  // namespace

void check_jax(const Model& model, DiagnosticSink& sink) {
  for (const Operator* op : extension_operators(model)) JaxChecker(*op, sink).check();
}

}  // namespace opweave::codegen
