// Calls that fold.
#include "codegen/expr/element_folds.h"

#include <fmt/format.h>

#include <algorithm>

namespace opweave::codegen {
namespace {

using Node = const ElementNode*;

// What is said by folds of truth values as numbers.
constexpr std::string_view kTruths[] = {"any", "all", "count"};
constexpr std::string_view kSize = "size";

bool is_truth_fold(std::string_view name) { return std::ranges::count(kTruths, name) != 0; }

class FoldCall {
 public:
  FoldCall(const SyntaxNode& call, ElementArena& arena, DiagnosticSink& sink)
      : call_(call), arena_(arena), sink_(sink) {}

  Node make(const std::vector<Node>& operands, bool has_folds) {
    if (!has_folds) return nothing_folded();
    if (call_.text == kSize) return takes(0) ? arena_.extent(kFoldedAxes, call_.span) : nullptr;
    if (is_truth_fold(call_.text)) return takes(1) ? of_truths(*operands[0]) : nullptr;
    const Fold& fold = *find_fold(call_.text);
    if (operands.size() != fold.arity && !(fold.arity == 2 && operands.size() == 1)) {
      takes(fold.arity);
      return nullptr;
    }
    std::vector<Node> values;
    const bool truths = fold.takes == FoldTakes::truths;
    for (Node operand : operands)
      values.push_back(truths ? arena_.as_boolean(operand) : arena_.as_value(operand));
    if (fold.arity == 2 && values.size() == 1) values.push_back(arena_.literal(1, false));
    if (!check_number(fold, values) || !varies(*values[0])) return nullptr;
    return arena_.fold(static_cast<uint16_t>(fold.kind), values, kFoldedAxes, call_.span);
  }

 private:
  Node nothing_folded() {
    sink_
        .error(Code::bad_fold, call_.name_span,
               fmt::format("'{}' folds, and the entry does not say what: it has no 'over'",
                           call_.text))
        .note({}, "the dimension that is folded, with a name for its coordinate: over: {r: -1}");
    return nullptr;
  }

  bool takes(size_t arity) {
    if (call_.operands.size() == arity) return true;
    sink_.error(Code::wrong_arguments, call_.span,
                fmt::format("'{}' takes {} argument{}, not {}", call_.text, arity,
                            arity == 1 ? "" : "s", call_.operands.size()));
    return false;
  }

  bool check_number(const Fold& fold, const std::vector<Node>& operands) {
    if (fold.arity == 1 || operands[1]->uniform) return true;
    sink_.error(Code::bad_fold, call_.operands[1]->span,
                fmt::format("the correction of '{}' is one number for all elements, and no tensor",
                            call_.text));
    return false;
  }

  bool varies(const ElementNode& operand) {
    if ((operand.axes & kFoldedAxes) != 0) return true;
    sink_
        .error(Code::bad_fold, call_.operands[0]->span,
               fmt::format("'{}' folds the elements along the axes of 'over', along which this is "
                           "one value",
                           call_.text))
        .note({}, "the number of elements is 'size()'; a fold of a fold folds nothing more");
    return false;
  }

  // By folds of zeros and ones.
  Node of_truths(const ElementNode& operand) {
    if (!varies(operand)) return nullptr;
    const Node number = arena_.as_value(arena_.as_boolean(&operand));
    const FoldKind kind = call_.text == "count" ? FoldKind::sum
                          : call_.text == "any" ? FoldKind::maximum
                                                : FoldKind::minimum;
    const Node folded =
        arena_.fold(static_cast<uint16_t>(kind), {&number, 1}, kFoldedAxes, call_.span);
    if (kind == FoldKind::sum) return folded;
    // Of nothing: -inf, which is not 0 either.
    const ElementOp test = kind == FoldKind::maximum ? ElementOp::greater : ElementOp::not_equal;
    return arena_.apply(test, {folded, arena_.literal(0, false)}, call_.span);
  }

  const SyntaxNode& call_;
  ElementArena& arena_;
  DiagnosticSink& sink_;
};

}  // namespace

const ElementNode* FoldScope::find(std::string_view name) const {
  const auto found = std::ranges::find(values, name, &std::pair<std::string_view, Node>::first);
  return found == values.end() ? nullptr : found->second;
}

bool is_fold_call(const SyntaxNode& call) {
  if (call.kind != SyntaxKind::call) return false;
  const bool of_two = call.operands.size() == 2 && (call.text == "max" || call.text == "min");
  return (find_fold(call.text) != nullptr && !of_two) || is_truth_fold(call.text) ||
         call.text == kSize;
}

std::vector<std::string_view> fold_call_names() {
  std::vector<std::string_view> names = fold_names();
  names.insert(names.end(), std::begin(kTruths), std::end(kTruths));
  names.push_back(kSize);
  return names;
}

const ElementNode* fold_call(const SyntaxNode& call, std::vector<const ElementNode*> operands,
                             const FoldScope& scope, ElementArena& arena, DiagnosticSink& sink) {
  return FoldCall(call, arena, sink).make(operands, scope.has_folds);
}

}  // namespace opweave::codegen
