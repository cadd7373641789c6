// Depth first, by each of the ways in which an operator runs others.
#include "codegen/model/operators/call_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>

#include "codegen/rules/rule.h"

namespace opweave::codegen {
namespace {

constexpr size_t kMostCalls = 10'000;
constexpr size_t kDeepest = 200;

struct Call {
  const Operator* caller = nullptr;
  const FormulaNode* node = nullptr;
};

// How one operator leads to others.
enum class Way { kernel, rule, batch };

// The formula that is followed; null if it ends here.
const FormulaNode* formula_of(const Operator& op, Way way) {
  const bool has_rule = op.rule != nullptr && op.rule->describes_results();
  if (way == Way::rule && has_rule) return op.rule->like;
  if (way == Way::batch && op.batching == Batching::example) return op.batching_formula;
  return op.composite;
}

std::string_view key_of(const Operator& op, Way way) {
  if (formula_of(op, way) == op.composite) return "composite";
  return way == Way::rule ? "result" : "batching";
}

void collect_calls(const FormulaNode& node, std::vector<const FormulaNode*>& found) {
  if (node.kind == FormulaKind::call) found.push_back(&node);
  for (const FormulaNode* operand : node.operands) collect_calls(*operand, found);
}

class CallChecker {
 public:
  CallChecker(Way way, DiagnosticSink& sink) : way_(way), sink_(sink) {}

  // False if it leads to an error.
  bool check(const Operator& op) {
    const auto [known, is_new] = done_.try_emplace(&op, State::open);
    if (!is_new) return known->second == State::fine;
    std::vector<const FormulaNode*> calls;
    if (const FormulaNode* formula = formula_of(op, way_)) collect_calls(*formula, calls);
    size_t count = calls.size();
    bool fine = path_.size() < kDeepest || report_depth(op);
    for (const FormulaNode* call : calls) {
      if (!fine) break;
      path_.push_back({&op, call});
      fine = done_.contains(call->op) && done_[call->op] == State::open ? report_ring(*call->op)
                                                                        : check(*call->op);
      path_.pop_back();
      count += counts_[call->op];
    }
    if (fine && count > kMostCalls) fine = report_count(op);
    counts_[&op] = count;
    done_[&op] = fine ? State::fine : State::wrong;
    return fine;
  }

 private:
  enum class State { open, fine, wrong };

  Span place_of(const Operator& op) const { return formula_of(op, way_)->span; }

  bool report_ring(const Operator& first) {
    const auto is_first = [&](const Call& call) { return call.caller == &first; };
    const auto begin = std::ranges::find_if(path_, is_first);
    std::string ring;
    for (auto call = begin; call != path_.end(); ++call) {
      ring += fmt::format("{}'{}' calls '{}'", ring.empty() ? "" : ", ", call->caller->full_name,
                          call->node->op->full_name);
    }
    Diagnostic& error = sink_.error(Code::recursive_expression, begin->node->span,
                                    fmt::format("the {} of '{}' leads back to itself: {}",
                                                key_of(first, way_), first.full_name, ring));
    for (auto call = begin + 1; call != path_.end(); ++call)
      error.note(call->node->span, fmt::format("'{}' is called here", call->node->op->full_name));
    return false;
  }

  bool report_count(const Operator& op) {
    sink_.error(Code::too_large, place_of(op),
                fmt::format("the {} of '{}' comes to more than {} calls, with the calls of what it "
                            "calls",
                            key_of(op, way_), op.full_name, kMostCalls));
    return false;
  }

  bool report_depth(const Operator& op) {
    sink_.error(Code::too_deep, op.span,
                fmt::format("operators call one another more than {} deep, from '{}' to '{}'",
                            kDeepest, path_.front().caller->full_name, op.full_name));
    return false;
  }

  Way way_;
  DiagnosticSink& sink_;
  std::unordered_map<const Operator*, State> done_;
  std::unordered_map<const Operator*, size_t> counts_;
  std::vector<Call> path_;
};

// Whether a formula comes to a call of an operator, by the formulas of what it calls.
bool reaches(const FormulaNode& node, const Operator& wanted, std::set<const Operator*>& seen) {
  std::vector<const FormulaNode*> calls;
  collect_calls(node, calls);
  return std::ranges::any_of(calls, [&](const FormulaNode* call) {
    if (call->op == &wanted) return true;
    const FormulaNode* formula = call->op->composite;
    return formula != nullptr && seen.insert(call->op).second && reaches(*formula, wanted, seen);
  });
}

void check_reference(const Operator& op, DiagnosticSink& sink) {
  std::set<const Operator*> seen;
  if (op.reference == nullptr || !reaches(*op.reference, op, seen)) return;
  sink.error(Code::recursive_expression, op.reference->span,
             fmt::format("the reference of '{0}' leads back to '{0}': its values would be "
                         "compared with themselves",
                         op.full_name));
}

}  // namespace

void check_calls(const std::vector<Draft>& drafts, DiagnosticSink& sink) {
  for (const Way way : {Way::kernel, Way::rule, Way::batch}) {
    CallChecker checker(way, sink);
    std::vector<Operator*> wrong;
    for (const Draft& draft : drafts) {
      if (!checker.check(*draft.op)) wrong.push_back(draft.op);
    }
    for (Operator* op : wrong) op->composite = nullptr;
  }
  for (const Draft& draft : drafts) check_reference(*draft.op, sink);
}

}  // namespace opweave::codegen
