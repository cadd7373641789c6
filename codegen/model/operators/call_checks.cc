// Depth first, by each of the ways in which an operator runs others.
#include "codegen/model/operators/call_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
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

// Finds the formula that is followed; null if it ends here.
using Follow = std::function<const FormulaNode*(const Operator&)>;

const FormulaNode* rule_of(const Operator& op) {
  const bool has_rule = op.rule != nullptr && op.rule->describes_results();
  return has_rule ? op.rule->like : op.formulas->composite;
}

const FormulaNode* batch_of(const Operator& op) {
  const bool by_formula = op.policies->batching == Batching::example;
  return by_formula ? op.formulas->batching : op.formulas->composite;
}

void collect_calls(const FormulaNode& node, std::vector<const FormulaNode*>& found) {
  if (node.kind == FormulaKind::call) found.push_back(&node);
  for (const FormulaNode* operand : node.operands) collect_calls(*operand, found);
}

class CallChecker {
 public:
  CallChecker(Way way, Follow follow, DiagnosticSink& sink)
      : way_(way), follow_(std::move(follow)), sink_(sink) {}

  // False if it leads to an error.
  bool check(const Operator& op) {
    const auto [known, is_new] = done_.try_emplace(&op, State::open);
    if (!is_new) return known->second == State::fine;
    std::vector<const FormulaNode*> calls;
    if (const FormulaNode* formula = follow_(op)) collect_calls(*formula, calls);
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

  std::string_view key_of(const Operator& op) const {
    if (way_ == Way::kernel || follow_(op) == op.formulas->composite) return "composite";
    return way_ == Way::rule ? "result" : "batching";
  }

  Span place_of(const Operator& op) const { return follow_(op)->span; }

  bool report_ring(const Operator& first) {
    const auto is_first = [&](const Call& call) { return call.caller == &first; };
    const auto begin = std::ranges::find_if(path_, is_first);
    std::string ring;
    for (auto call = begin; call != path_.end(); ++call) {
      ring += fmt::format("{}'{}' calls '{}'", ring.empty() ? "" : ", ", call->caller->name.full,
                          call->node->op->name.full);
    }
    Diagnostic& error = sink_.error(Code::recursive_expression, begin->node->span,
                                    fmt::format("the {} of '{}' leads back to itself: {}",
                                                key_of(first), first.name.full, ring));
    for (auto call = begin + 1; call != path_.end(); ++call)
      error.note(call->node->span, fmt::format("'{}' is called here", call->node->op->name.full));
    return false;
  }

  bool report_count(const Operator& op) {
    sink_.error(Code::too_large, place_of(op),
                fmt::format("the {} of '{}' comes to more than {} calls, with the calls of what it "
                            "calls",
                            key_of(op), op.name.full, kMostCalls));
    return false;
  }

  bool report_depth(const Operator& op) {
    sink_.error(Code::too_deep, op.origin.span,
                fmt::format("operators call one another more than {} deep, from '{}' to '{}'",
                            kDeepest, path_.front().caller->name.full, op.name.full));
    return false;
  }

  Way way_;
  Follow follow_;
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
    const FormulaNode* formula = call->op->formulas->composite;
    return formula != nullptr && seen.insert(call->op).second && reaches(*formula, wanted, seen);
  });
}

void check_reference(const Operator& op, DiagnosticSink& sink) {
  std::set<const Operator*> seen;
  const FormulaNode* reference = op.formulas->reference;
  if (reference == nullptr || !reaches(*reference, op, seen)) return;
  sink.error(Code::recursive_expression, reference->span,
             fmt::format("the reference of '{0}' leads back to '{0}': its values would be "
                         "compared with themselves",
                         op.name.full));
}

}  // namespace

void check_composites(const std::vector<Draft>& drafts,
                      std::unordered_map<const Operator*, Formulas>& formulas,
                      DiagnosticSink& sink) {
  const auto follow = [&](const Operator& op) { return formulas.at(&op).composite; };
  CallChecker checker(Way::kernel, follow, sink);
  std::vector<const Operator*> wrong;
  for (const Draft& draft : drafts) {
    if (!checker.check(*draft.op)) wrong.push_back(draft.op);
  }
  for (const Operator* op : wrong) formulas.at(op).composite = nullptr;
}

void check_calls(const std::vector<Draft>& drafts, DiagnosticSink& sink) {
  CallChecker rules(Way::rule, rule_of, sink), batches(Way::batch, batch_of, sink);
  for (const Draft& draft : drafts) {
    if (!draft.entry) continue;  // of a derived form it is said of the functional one
    rules.check(*draft.op);
    batches.check(*draft.op);
    check_reference(*draft.op, sink);
  }
}

}  // namespace opweave::codegen
