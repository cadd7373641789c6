// Walking formulas.
#include "codegen/lsp/calls.h"

#include <set>
#include <string_view>

#include "codegen/lsp/words.h"

namespace opweave::codegen::lsp {
namespace {

// In `name(...)` at the beginning, in `x.name(...)` behind the last point outside of brackets.
size_t find_name(std::string_view text, std::string_view name) {
  const auto is_here = [&](size_t at) {
    return text.substr(at, name.size()) == name &&
           (at + name.size() == text.size() || !is_word(text[at + name.size()]));
  };
  if (is_here(0)) return 0;
  size_t found = std::string_view::npos;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == ']') --depth;
    if (text[i] == '.' && depth == 0 && is_here(i + 1)) found = i + 1;
  }
  return found;
}

class Walker {
 public:
  void walk(const FormulaNode* node) {
    if (node == nullptr || !seen_.insert(node).second) return;
    if (node->kind == FormulaKind::call && node->span && !node->is_default) add(*node);
    for (const FormulaNode* operand : node->operands) walk(operand);
  }

  std::vector<Call> calls;

 private:
  void add(const FormulaNode& node) {
    const std::string& name = node.op->name.base;
    const size_t at = find_name(node.span.text(), name);
    const auto begin = static_cast<uint32_t>(node.span.begin + at);
    const Span place =
        at == std::string_view::npos
            ? node.span
            : Span{node.span.source, begin, begin + static_cast<uint32_t>(name.size())};
    calls.push_back({node.op, place});
  }

  std::set<const FormulaNode*> seen_;
};

}  // namespace

std::vector<Call> calls_of(const Model& model) {
  Walker walker;
  for (const Operator* op : model.operators().all()) {
    walker.walk(op->formulas->composite);
    walker.walk(op->formulas->batching);
    walker.walk(op->formulas->reference);
    if (op->gradient->derivative == nullptr) continue;
    for (const DerivativeFormula& formula : op->gradient->derivative->formulas) {
      if (!formula.derived) walker.walk(formula.formula);
    }
  }
  return std::move(walker.calls);
}

}  // namespace opweave::codegen::lsp
