// The expression of a pointwise operator as the lines of a Python function over a vocabulary.
#include <map>

#include "codegen/emit/jax/face.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/tests/test_samples.h"
#include "codegen/emit/text/comma_list.h"
#include "schema/python_text.h"

namespace opweave::codegen {
namespace {

class ExpressionPrinter {
 public:
  ExpressionPrinter(Printer& p, const Operator& op) : p_(p), op_(op) { count(*op.elements->expr); }

  void print() {
    const std::string result = value(*op_.elements->expr);
    p_.print({{"result", result}}, "return $result$");
  }

 private:
  void count(const ElementNode& node) {
    if (++uses_[&node] > 1) return;
    for (const ElementNode* operand : node.operands) count(*operand);
  }

  // What is used more than once becomes a variable first.
  std::string value(const ElementNode& node) {
    if (const auto it = names_.find(&node); it != names_.end()) return it->second;
    std::string text = expression(node);
    if (uses_[&node] < 2 || node.operands.empty()) return text;
    const std::string name = "ow_t" + std::to_string(names_.size());
    p_.print({{"name", name}, {"text", text}}, "$name$ = $text$");
    return names_[&node] = name;
  }

  std::string name_of(const ElementNode& node) const {
    return schema::python_identifier(op_.schema.arguments[node.index].name);
  }

  bool is_tensor(const ElementNode& node) const {
    return op_.schema.arguments[node.index].type.is_tensor();
  }

  std::string expression(const ElementNode& node) {
    switch (node.op) {
      case ElementOp::argument:
        // Tensors of which the truth is read are masks already, and numbers values.
        return node.type == ElementType::boolean && !is_tensor(node)
                   ? "ow_m.to_boolean(" + name_of(node) + ")"
                   : name_of(node);
      case ElementOp::literal:
        return literal(node);
      case ElementOp::has_value:
        return "ow_m.has_value(" + quoted(name_of(node)) + ")";
      case ElementOp::string_equals:
        return "ow_m.string_equals(" + quoted(name_of(node)) + ", " + quoted(node.text) + ")";
      default:
        break;
    }
    const auto text = [&](const ElementNode* operand) { return value(*operand); };
    return "ow_m." + std::string(element_op_name(node.op)) + "(" + comma_list(node.operands, text) +
           ")";
  }

  // A truth value is a number that is read as one.
  static std::string literal(const ElementNode& node) {
    const std::string text = "ow_m.lit(" + python_number(node.number) + ")";
    return node.type == ElementType::boolean ? "ow_m.to_boolean(" + text + ")" : text;
  }

  Printer& p_;
  const Operator& op_;
  std::map<const ElementNode*, int> uses_;
  std::map<const ElementNode*, std::string> names_;
};

}  // namespace

void print_jax_expression(Printer& p, const Operator& op) { ExpressionPrinter(p, op).print(); }

}  // namespace opweave::codegen
