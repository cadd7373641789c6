// Lists of nodes over operators.
#include "codegen/data/formulas.h"

#include <map>
#include <unordered_map>

#include "codegen/data/values.h"
#include "codegen/data/words.h"
#include "codegen/model/lowered/repeated.h"

namespace opweave::codegen::data {
namespace {

bool is_leaf(const FormulaNode& node) {
  return node.operands.empty() && node.kind != FormulaKind::call &&
         node.kind != FormulaKind::function;
}

class FormulaWriter {
 public:
  FormulaWriter(const FormulaNode& formula, const NodeNotes& notes)
      : repeated_(formula), notes_(notes) {}

  size_t write(const FormulaNode& node, bool asked = true) {
    auto& places = asked ? places_ : unasked_;
    if (const auto known = places.find(&node); known != places.end()) return known->second;
    const std::optional<size_t> value = repeated_.place_of(node);
    if (value) {
      if (const auto known = values_.find(*value); known != values_.end()) return known->second;
    }
    const size_t place = add(node, asked);
    if (value) values_[*value] = place;
    return places[&node] = place;
  }

  Json take() { return std::move(nodes_); }

 private:
  // A part of a composite has a formula of its own. `asked`: whether the first one, whose property
  // this may be, is.
  std::vector<size_t> operands_of(const FormulaNode& node, bool asked) {
    std::vector<size_t> operands;
    if (node.kind == FormulaKind::named) return operands;
    for (const FormulaNode* operand : node.operands)
      operands.push_back(write(*operand, asked || !operands.empty()));
    return operands;
  }

  size_t add(const FormulaNode& node, bool asked) {
    Json data = {{"kind", word(kFormulaKinds, node.kind)}};
    add_own(data, node);
    Json notes = Json::object();
    const bool answered = notes_ && asked && notes_(node, notes);
    const std::vector<size_t> operands = operands_of(node, asked && !answered);
    if (!operands.empty()) data["operands"] = operands;
    data["type"] = print(node.type);
    add_flag(data, "default", node.is_default);
    data.update(notes);
    if (!is_leaf(node)) return append(std::move(data));
    const auto [known, is_new] = leaves_.try_emplace(data.dump(), nodes_.size());
    return is_new ? append(std::move(data)) : known->second;
  }

  size_t append(Json data) {
    nodes_.push_back(std::move(data));
    return nodes_.size() - 1;
  }

  static void add_own(Json& data, const FormulaNode& node) {
    switch (node.kind) {
      case FormulaKind::argument:
      case FormulaKind::tangent:
        data["argument"] = node.index;
        break;
      case FormulaKind::gradient:
      case FormulaKind::result:
        data["result"] = node.index;
        break;
      case FormulaKind::local:
      case FormulaKind::named:
      case FormulaKind::element:
        data["index"] = node.index;
        break;
      default:
        add_name(data, node);
    }
  }

  static void add_name(Json& data, const FormulaNode& node) {
    switch (node.kind) {
      case FormulaKind::constant:
        data["constant"] = constant_data(*node.constant);
        break;
      case FormulaKind::property:
        data["property"] = word(kProperties, node.property);
        break;
      case FormulaKind::call:
        data["operator"] = node.op->name.full;
        break;
      case FormulaKind::function:
        data["function"] = node.function->full_name();
        break;
      case FormulaKind::unary:
      case FormulaKind::binary:
        data["symbol"] = node.symbol;
        break;
      case FormulaKind::convert:
        data["conversion"] = word(kConversions, node.conversion);
        break;
      default:
        break;
    }
  }

  RepeatedCalls repeated_;
  const NodeNotes& notes_;
  Json nodes_ = Json::array();
  // Of nodes, and of those that nobody asks: what they are part of is answered.
  std::unordered_map<const FormulaNode*, size_t> places_, unasked_;
  std::unordered_map<size_t, size_t> values_;  // of RepeatedCalls
  std::map<std::string, size_t> leaves_;
};

}  // namespace

Json formula_data(const FormulaNode& formula, const NodeNotes& notes) {
  FormulaWriter writer(formula, notes);
  writer.write(formula);
  return {{"nodes", writer.take()}};
}

}  // namespace opweave::codegen::data
