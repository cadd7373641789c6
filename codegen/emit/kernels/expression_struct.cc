// The typed expression of a pointwise operator as a C++ function over a target's math vocabulary
// `m`. The text is the same for every target: only the meaning of `m` and of OW_POINTWISE differs.
#include <map>

#include "codegen/emit/kernels/element_text.h"
#include "codegen/emit/kernels/pointwise_printers.h"
#include "codegen/emit/operators/pointwise_layout.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/emit/text/printer.h"
#include "codegen/emit/text/variables.h"

namespace opweave::codegen {
namespace {

class ExpressionPrinter : public ElementText {
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
    body().print({{"result", result}}, "return $result$;");
    return body().take();
  }

 private:
  bool has_alternatives(const ElementNode& node) const override { return mutants_.contains(&node); }

  std::string alternatives(const ElementNode& node, std::string text) override {
    std::string chosen;
    for (const Mutant* mutant : mutants_.at(&node)) {
      chosen +=
          "OW_MUTANT(" + std::to_string(mutant->id) + ") ? " + value(*mutant->element) + " : ";
    }
    return chosen + text;
  }

  std::string leaf(const ElementNode& node) override {
    if (node.op != ElementOp::argument) return flag_text(layout_, node);
    return argument(node);
  }

  // A tensor of which only the truth is read arrives as a mask.
  std::string known(const ElementNode& node) override {
    return node.op == ElementOp::to_boolean && arrives_as_mask(node.operand(0))
               ? argument(node.operand(0))
               : "";
  }

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

  const Operator& op_;
  const PointwiseLayout& layout_;
  std::map<const ElementNode*, std::vector<const Mutant*>> mutants_;
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
