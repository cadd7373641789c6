// The typed expression of a pointwise operator as a C++ function over a target's math vocabulary
// `m`. The text is the same for every target: only the meaning of `m` and of OW_POINTWISE differs.
#include <array>
#include <charconv>
#include <map>
#include <set>

#include "codegen/emit/kernels/pointwise_printers.h"
#include "codegen/emit/operators/pointwise_layout.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/emit/text/printer.h"
#include "codegen/emit/text/variables.h"
#include "codegen/expr/intrinsics.h"

namespace opweave::codegen {
namespace {

// The vocabulary's name of an operation; conversions and `select` keep their names.
std::string vocabulary_name(ElementOp op) {
  const Intrinsic* intrinsic = find_intrinsic(op);
  return std::string(intrinsic == nullptr ? element_op_name(op) : intrinsic->target);
}

std::string literal_text(const ElementNode& node) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), node.number).ptr;
  std::string text(buffer, end);
  if (text == "inf") return "std::numeric_limits<double>::infinity()";
  if (text == "-inf") return "-std::numeric_limits<double>::infinity()";
  if (text == "nan") return "std::numeric_limits<double>::quiet_NaN()";
  // Always a double: the vocabulary converts it to the type of computation.
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

class ExpressionPrinter {
 public:
  ExpressionPrinter(const Operator& op, const PointwiseLayout& layout, const Mutants& mutants)
      : op_(op), layout_(layout) {
    count_uses(*op.elements->expr);
    for (const Mutant& mutant : mutants.of(op)) {
      if (mutant.element == nullptr) continue;
      mutants_[mutant.of_element].push_back(&mutant);
      // What several alternatives are made of is computed once.
      for (const ElementNode* operand : mutant.of_element->operands) ++uses_[operand];
    }
  }

  std::string print() {
    const std::string result = value(*op_.elements->expr);
    body_.print({{"result", result}}, "return $result$;");
    return body_.take();
  }

 private:
  void count_uses(const ElementNode& node) {
    if (++uses_[&node] > 1) return;
    for (const ElementNode* operand : node.operands) count_uses(*operand);
  }

  // The node as an expression; one that is used more than once becomes a variable first.
  std::string value(const ElementNode& node) {
    if (const auto it = names_.find(&node); it != names_.end()) return it->second;
    std::string text = expression(node);
    if (const auto found = mutants_.find(&node); found != mutants_.end()) {
      names_[&node] = text = named(text);
      text = with_mutants(text, found->second);
    } else if (uses_[&node] < 2 || node.operands.empty()) {
      return text;
    }
    return names_[&node] = named(text);
  }

  std::string named(const std::string& text) {
    const std::string name = "t" + std::to_string(variables_++);
    body_.print({{"name", name}, {"text", text}}, "const auto $name$ = $text$;");
    return name;
  }

  std::string with_mutants(const std::string& text, const std::vector<const Mutant*>& mutants) {
    std::string chosen;
    for (const Mutant* mutant : mutants) {
      chosen +=
          "OW_MUTANT(" + std::to_string(mutant->id) + ") ? " + value(*mutant->element) + " : ";
    }
    return chosen + text;
  }

  std::string expression(const ElementNode& node) {
    switch (node.op) {
      case ElementOp::argument:
        return argument(node);
      case ElementOp::literal:
        return literal(node);
      case ElementOp::has_value:
        return flag(PointwiseParam::Kind::has_value, node);
      case ElementOp::string_equals:
        return flag(PointwiseParam::Kind::string_equals, node);
      case ElementOp::to_boolean:
        if (arrives_as_mask(node.operand(0))) return argument(node.operand(0));
        break;
      case ElementOp::to_value:
        return "m::to_value(d, " + value(node.operand(0)) + ")";
      default:
        break;
    }
    const auto text = [&](const ElementNode* operand) { return value(*operand); };
    return "m::" + vocabulary_name(node.op) + "(" + comma_list(node.operands, text) + ")";
  }

  // A truth value is one of the type of computation that is read as one.
  static std::string literal(const ElementNode& node) {
    const std::string text = "m::lit(d, " + literal_text(node) + ")";
    return node.type == ElementType::boolean ? "m::to_boolean(" + text + ")" : text;
  }

  // A tensor of which only the truth is read.
  bool arrives_as_mask(const ElementNode& node) const {
    return node.op == ElementOp::argument && op_.schema.arguments[node.index].type.is_tensor() &&
           op_.elements->arguments[node.index].as_boolean;
  }

  std::string argument(const ElementNode& node) const {
    const std::string name = variable(op_.schema.arguments[node.index].name);
    const Type& type = op_.schema.arguments[node.index].type;
    // Parameters arrive as values; tensors whose truth is read arrive as masks.
    const bool value_as_mask = node.type == ElementType::boolean && !type.is_tensor();
    return value_as_mask ? "m::to_boolean(" + name + ")" : name;
  }

  std::string flag(PointwiseParam::Kind kind, const ElementNode& node) const {
    for (const PointwiseParam& p : layout_.params) {
      if (p.kind == kind && p.argument == node.index && p.text == node.text) {
        return "m::to_boolean(" + p.name + ")";
      }
    }
    return {};  // not reached: the layout holds every flag of the expression
  }

  const Operator& op_;
  const PointwiseLayout& layout_;
  std::map<const ElementNode*, int> uses_;
  std::map<const ElementNode*, std::string> names_;
  std::map<const ElementNode*, std::vector<const Mutant*>> mutants_;
  int variables_ = 0;
  Printer body_;
};

}  // namespace

std::string print_expression_struct(const Operator& op, const Mutants& mutants) {
  const PointwiseLayout layout = pointwise_layout(op);
  CommaList params;
  params.add("[[maybe_unused]] D d");
  for (uint16_t i : layout.inputs)
    params.add("[[maybe_unused]] auto " + variable(op.schema.arguments[i].name));
  for (const PointwiseParam& p : layout.params) params.add("[[maybe_unused]] auto " + p.name);
  Printer p;
  p.print({{"id", op.name.identifier},
           {"params", params.text()},
           {"body", ExpressionPrinter(op, layout, mutants).print()}},
          "struct $id$_expr {\n"
          "  template <class D>\n"
          "  static OW_POINTWISE auto apply($params$) {\n"
          "    $body$\n"
          "  }\n"
          "};");
  return p.take();
}

}  // namespace opweave::codegen
