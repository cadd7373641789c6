// Lists of nodes, in the order in which they can be computed.
#include "codegen/data/elements.h"

#include <unordered_map>

#include "codegen/data/values.h"
#include "codegen/data/words.h"
#include "codegen/expr/element_walk.h"
#include "codegen/model/lowered/numbers.h"

namespace opweave::codegen::data {
namespace {

class ElementWriter {
 public:
  Json write(const ElementNode& root) {
    Json nodes = Json::array();
    walk(root, [&](const ElementNode& node) {
      nodes.push_back(data(node));
      places_[&node] = nodes.size() - 1;
    });
    return nodes;
  }

 private:
  Json data(const ElementNode& node) const {
    Json data = {{"op", element_op_name(node.op)}};
    add_leaf(data, node);
    if (!node.operands.empty()) {
      data["operands"] =
          list_of(node.operands, [&](const ElementNode* operand) { return places_.at(operand); });
    }
    data["type"] = word(kElementTypes, node.type);
    add_flag(data, "uniform", node.uniform);
    add_flag(data, "needs_float", node.needs_float);
    return data;
  }

  static void add_leaf(Json& data, const ElementNode& node) {
    switch (node.op) {
      case ElementOp::argument:
      case ElementOp::has_value:
        data["argument"] = node.index;
        break;
      case ElementOp::string_equals:
        data["argument"] = node.index;
        data["text"] = node.text;
        break;
      case ElementOp::literal:
        add_literal(data, node);
        break;
      default:
        break;
    }
  }

  static void add_literal(Json& data, const ElementNode& node) {
    if (node.type == ElementType::boolean) {
      data["value"] = node.number != 0;
      return;
    }
    data["value"] = number_data(node.number);
    add_flag(data, "float", node.is_float);
  }

  std::unordered_map<const ElementNode*, size_t> places_;
};

// How a kernel gets an argument: as elements, as one number for all of them, or not at all.
std::string read_as(const Operator& op, uint16_t argument) {
  const Type& type = op.schema.arguments[argument].type;
  const ElementArgument& use = op.elements->arguments[argument];
  if (type.is_tensor()) return use.as_boolean ? "mask" : "elements";
  if (!use.used || type.base == BaseType::string) return "flags";
  return "number";
}

Json argument_data(const Operator& op, uint16_t argument) {
  const ElementArgument& use = op.elements->arguments[argument];
  const std::string how = read_as(op, argument);
  Json data = {{"read", how}};
  add_flag(data, "promotes", use.promotes);
  if (how == "elements") add_flag(data, "exact_number", use.exact);
  if (how != "number") return data;
  data["fits"] = word(kNumberPlaces, place_of_number(op, argument));
  add_flag(data, "suits", use.suits);
  add_flag(data, "rounded", is_rounded(op, argument));
  return data;
}

}  // namespace

Json elements_data(const ElementNode& root) { return ElementWriter().write(root); }

Json expression_data(const Operator& op) {
  Json arguments = Json::array();
  for (uint16_t i = 0; i < op.schema.arguments.size(); ++i)
    arguments.push_back(argument_data(op, i));
  return {{"compute", word(kComputeRules, op.elements->promotion.compute)},
          {"result", word(kResultRules, op.elements->promotion.result)},
          {"dtypes", dtypes_data(computed_dtypes(op))},
          {"arguments", std::move(arguments)},
          {"nodes", elements_data(*op.elements->expr)}};
}

}  // namespace opweave::codegen::data
