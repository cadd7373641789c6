// Lengths and counts of schemas.
#include "codegen/model/operators/limits.h"

#include <fmt/format.h>

#include <set>
#include <string_view>
#include <utility>

namespace opweave::codegen {
namespace {

constexpr size_t kLongestName = 100;  // file names are made of them
constexpr size_t kMostArguments = 250;
constexpr size_t kMostOperands = 8;  // kMaxPointwiseInputs and kMaxPointwiseParams

bool check_name(std::string_view name, Span span, DiagnosticSink& sink) {
  if (name.size() <= kLongestName) return true;
  sink.error(Code::too_large, span,
             fmt::format("a name has at most {} letters; '{}...' has {}", kLongestName,
                         name.substr(0, 20), name.size()));
  return false;
}

bool check_count(size_t count, std::string_view what, const Schema& schema, DiagnosticSink& sink) {
  if (count <= kMostArguments) return true;
  sink.error(Code::too_large, schema.name_span,
             fmt::format("an operator has at most {0} {1}; '{2}' has {3}", kMostArguments, what,
                         schema.full_name(), count));
  return false;
}

// What a kernel asks of an argument beside its value: whether it is there, which text it is.
void collect_questions(const ElementNode& node, std::set<const ElementNode*>& seen,
                       std::set<std::pair<int, std::string_view>>& questions) {
  if (!seen.insert(&node).second) return;
  const bool asks = node.op == ElementOp::has_value || node.op == ElementOp::string_equals;
  if (asks) questions.emplace(node.index, node.text);
  for (const ElementNode* operand : node.operands) collect_questions(*operand, seen, questions);
}

size_t count_numbers(const Operator& op) {
  std::set<const ElementNode*> seen;
  std::set<std::pair<int, std::string_view>> questions;
  collect_questions(*op.elements->expr, seen, questions);
  size_t count = questions.size();
  for (size_t i = 0; i < op.schema.arguments.size(); ++i) {
    const Type& type = op.schema.arguments[i].type;
    const bool number = !type.is_tensor() && type.base != BaseType::string;
    count += number && op.elements->arguments[i].used ? 1 : 0;
  }
  return count;
}

bool check_operands(const Operator& op, size_t count, std::string_view what, DiagnosticSink& sink) {
  if (count <= kMostOperands) return true;
  const std::string whose =
      op.origin.gradient_of ? fmt::format("a gradient of '{}'", op.origin.gradient_of->name.full)
                            : fmt::format("the expr of '{}'", op.name.full);
  sink.error(Code::too_large, op.origin.span,
             fmt::format("{} has {} {}, and elements are computed from {} at most", whose, count,
                         what, kMostOperands))
      .note({}, "a composite formula over several such operators has no such limit");
  return false;
}

}  // namespace

void check_operands(const OperatorTable& table, DiagnosticSink& sink) {
  std::set<const Operator*> told;
  for (const Operator* op : table.all()) {
    const Operator* whose = op->origin.gradient_of ? op->origin.gradient_of : op;
    if (!op->is_expr() || op->elements->expr == nullptr || op->forms->form != Form::functional)
      continue;
    if (op->origin.imported || told.contains(whose)) continue;
    const bool fine =
        check_operands(*op, op->tensor_arguments().size(), "tensors", sink) &&
        check_operands(*op, count_numbers(*op), "numbers and questions to arguments", sink);
    if (!fine) told.insert(whose);
  }
}

bool check_limits(const std::vector<Draft>& drafts, DiagnosticSink& sink) {
  bool fine = true;
  for (const Draft& draft : drafts) {
    const Schema& schema = draft.op->schema;
    fine &= check_name(schema.full_name(), schema.name_span, sink);
    fine &= check_count(schema.arguments.size(), "arguments", schema, sink);
    fine &= check_count(schema.returns.size(), "results", schema, sink);
    for (const Argument& argument : schema.arguments)
      fine &= check_name(argument.name, argument.span, sink);
  }
  return fine;
}

}  // namespace opweave::codegen
