// What the outermost call of a formula views is followed inwards, to an argument.
#include "codegen/model/operators/composite_views.h"

#include <fmt/format.h>

#include <algorithm>

namespace opweave::codegen {
namespace {

bool is_viewed(const FormulaNode& node, size_t argument, size_t result);

// By a view of what it is given, or by writing it.
bool call_views(const FormulaNode& call, size_t argument, size_t result) {
  for (const ViewOf& view : call.op->effects.views) {
    if (view.result == result && is_viewed(call.operand(view.argument), argument, 0)) return true;
  }
  const Schema& schema = call.op->schema;
  if (result >= schema.returns.size() || !schema.returns[result].type.is_mutated()) return false;
  const std::optional<Alias>& written = schema.returns[result].type.alias;
  for (size_t i = 0; i < schema.arguments.size(); ++i) {
    if (schema.arguments[i].type.alias == written && is_viewed(call.operand(i), argument, 0))
      return true;
  }
  return false;
}

// Whether that result of the node shares the memory of the argument, perhaps under a condition.
bool is_viewed(const FormulaNode& node, size_t argument, size_t result) {
  switch (node.kind) {
    case FormulaKind::argument:
      return node.index == argument;
    case FormulaKind::call:
      return call_views(node, argument, result);
    case FormulaKind::conditional:
      return is_viewed(node.operand(1), argument, result) ||
             is_viewed(node.operand(2), argument, result);
    case FormulaKind::tuple:
      return result < node.operands.size() && is_viewed(node.operand(result), argument, 0);
    case FormulaKind::element:
      return is_viewed(node.operand(0), argument, node.index);
    case FormulaKind::list:
      return std::ranges::any_of(
          node.operands, [&](const FormulaNode* item) { return is_viewed(*item, argument, 0); });
    case FormulaKind::named:
      return is_viewed(node.operand(0), argument, result);
    case FormulaKind::index:
    case FormulaKind::convert:
      return is_viewed(node.operand(0), argument, 0);
    default:
      return false;
  }
}

}  // namespace

void check_composite_views(const std::vector<Draft>& drafts, DiagnosticSink& sink) {
  for (const Draft& draft : drafts) {
    const Operator& op = *draft.op;
    if (!op.formulas->composite || op.origin.imported) continue;
    for (const ViewOf& view : op.effects.views) {
      if (is_viewed(*op.formulas->composite, view.argument, view.result)) continue;
      const Return& result = op.schema.returns[view.result];
      sink.error(Code::bad_alias, op.formulas->composite->span,
                 fmt::format("'{}' is declared to return a view of '{}', but its formula makes "
                             "none of it",
                             op.name.full, op.schema.arguments[view.argument].name))
          .note(result.span, "a new tensor is a result without an alias: Tensor");
    }
  }
}

}  // namespace opweave::codegen
