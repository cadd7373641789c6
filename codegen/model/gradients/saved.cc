// The walk over formulas that finds what they read.
#include "codegen/model/gradients/saved.h"

#include <algorithm>

#include "codegen/expr/formula_arena.h"
#include "codegen/expr/formula_checker.h"
#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {
namespace {

// Which gradients of a formula have to be there: all but those that it asks itself whether they are
// defined, and those that are only handed to parameters that may be None.
class FilledGradients {
 public:
  explicit FilledGradients(const FormulaNode& formula) { visit(formula); }

  std::vector<uint16_t> found() {
    std::erase_if(needed_, [&](uint16_t g) { return std::ranges::count(asked_, g) != 0; });
    std::ranges::sort(needed_);
    return needed_;
  }

 private:
  void visit(const FormulaNode& node) {
    if (node.kind == FormulaKind::gradient && std::ranges::count(needed_, node.index) == 0)
      needed_.push_back(node.index);
    const bool asks = node.kind == FormulaKind::property && node.property == Property::defined;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const FormulaNode* gradient = gradient_of(node.operand(i));
      if (asks && gradient != nullptr)
        asked_.push_back(gradient->index);
      else if (gradient == nullptr || !takes_none(node, i))
        visit(node.operand(i));
    }
  }

  // The gradient that an operand is, as it is or as a `Tensor?`; null if it is something else.
  static const FormulaNode* gradient_of(const FormulaNode& node) {
    if (node.kind == FormulaKind::gradient) return &node;
    const bool optional =
        node.kind == FormulaKind::convert && node.conversion == Conversion::to_optional;
    return optional ? gradient_of(node.operand(0)) : nullptr;
  }

  static bool takes_none(const FormulaNode& call, size_t i) {
    return call.kind == FormulaKind::call && call.op->schema.arguments[i].type.optional;
  }

  std::vector<uint16_t> needed_, asked_;
};

class SavedCollector {
 public:
  SavedCollector(Derivative& derivative, const Schema& schema)
      : derivative_(derivative), schema_(schema) {}

  void collect(DerivativeFormula& formula) {
    formula_ = &formula;
    if (formula.formula) visit(*formula.formula);
    std::ranges::sort(formula.gradients);
    // A formula of one gradient alone does not run without it.
    if (formula.gradients.size() > 1) formula.filled = FilledGradients(*formula.formula).found();
  }

 private:
  void visit(const FormulaNode& node) {
    switch (node.kind) {
      case FormulaKind::argument:
      case FormulaKind::result:
        return save_whole(node);
      case FormulaKind::gradient:
        return add_unique(formula_->gradients, node.index);
      case FormulaKind::grad_input_mask:
        formula_->uses_grad_input_mask = true;
        return;
      case FormulaKind::property:
        if (save_property(node)) return visit_operands(node, 1);
        break;
      default:
        break;
    }
    visit_operands(node, 0);
  }

  void visit_operands(const FormulaNode& node, size_t first) {
    for (size_t i = first; i < node.operands.size(); ++i) visit(node.operand(i));
  }

  void save_whole(const FormulaNode& node) {
    bool is_argument = node.kind == FormulaKind::argument;
    Saved saved{.kind = is_argument ? Saved::Kind::argument : Saved::Kind::result,
                .index = node.index,
                .type = node.type};
    saved.name = subject_name(node);
    add(std::move(saved));
  }

  // False if the subject itself has to be saved, or is no argument or result.
  bool save_property(const FormulaNode& node) {
    const FormulaNode& subject = node.operand(0);
    bool is_argument = subject.kind == FormulaKind::argument;
    if (!is_argument && subject.kind != FormulaKind::result) return false;
    if (node.property == Property::has_value) return false;
    if (node.property == Property::sizes_along) return save_forward_value(node, is_argument);
    Saved saved{.kind = is_argument ? Saved::Kind::argument_property : Saved::Kind::result_property,
                .index = subject.index,
                .property = saved_property(node.property)};
    saved.type = node.type;
    if (saved.property != node.property) saved.type = list_type(BaseType::integer);
    std::string_view suffix =
        node.property == Property::length ? "length" : property_name(saved.property);
    saved.name = subject_name(subject) + "_" + std::string(suffix);
    add(std::move(saved));
    return true;
  }

  // `tensors.sizes_along(dim)`: without this the tensors themselves would be kept.
  bool save_forward_value(const FormulaNode& node, bool is_argument) {
    bool reads_arguments = is_argument && (node.operand(1).kind == FormulaKind::argument ||
                                           node.operand(1).kind == FormulaKind::constant);
    if (!reads_arguments) return false;
    Saved saved{.kind = Saved::Kind::forward_value,
                .index = node.operand(0).index,
                .property = node.property,
                .type = node.type};
    saved.name = subject_name(node.operand(0)) + "_sizes_along";
    saved.node = &node;
    add(std::move(saved));
    return true;
  }

  std::string subject_name(const FormulaNode& node) const {
    return node.kind == FormulaKind::argument ? schema_.arguments[node.index].name
                                              : result_name(schema_, node.index);
  }

  static void add_unique(std::vector<uint16_t>& list, uint16_t value) {
    if (std::ranges::find(list, value) == list.end()) list.push_back(value);
  }

  void add(Saved saved) {
    auto same = [&](const Saved& known) {
      return known.kind == saved.kind && known.index == saved.index &&
             known.property == saved.property && known.node == saved.node;
    };
    auto& all = derivative_.saved;
    auto found = std::ranges::find_if(all, same);
    if (found == all.end()) {
      make_unique(saved.name);
      found = all.insert(all.end(), std::move(saved));
    }
    add_unique(formula_->saved, static_cast<uint16_t>(found - all.begin()));
  }

  void make_unique(std::string& name) const {
    auto taken = [&](const std::string& candidate) {
      return std::ranges::any_of(derivative_.saved,
                                 [&](const Saved& known) { return known.name == candidate; });
    };
    std::string base = name;
    for (int i = 2; taken(name); ++i) name = base + "_" + std::to_string(i);
  }

  Derivative& derivative_;
  const Schema& schema_;
  DerivativeFormula* formula_ = nullptr;
};

}  // namespace

void collect_saved(Derivative& derivative, const Schema& schema) {
  SavedCollector collector(derivative, schema);
  for (DerivativeFormula& formula : derivative.formulas) collector.collect(formula);
}

}  // namespace opweave::codegen
