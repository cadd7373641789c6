// From the names of a selection to the operators of a build.
#include "codegen/model/selection/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "codegen/diagnostics/suggest.h"
#include "codegen/model/declarations/kernel_words.h"

namespace opweave::codegen {
namespace {

// Forms of one computation share their kernels: this one stands for all.
const Operator& computation(const Operator& op) {
  return op.forms->functional != nullptr ? *op.forms->functional : op;
}

// The operators that were asked for, and those that they call, and so on.
class Closure {
 public:
  Closure(const KernelCalls& calls, const OperatorTable& table, bool gradients)
      : calls_(calls), gradients_(gradients) {
    for (const Operator* op : table.all()) by_identifier_.emplace(op->name.identifier, op);
    keep_all(calls.runtime);
  }

  void keep(const Operator* op) {
    if (op == nullptr || op->origin.imported || !kept_.insert(op).second) return;
    waiting_.push_back(op);
  }

  // Everything that is needed is kept as well.
  void finish() {
    while (!waiting_.empty()) {
      const Operator& op = *waiting_.back();
      waiting_.pop_back();
      for (const Operator* form : {op.forms->functional, op.forms->inplace, op.forms->out})
        keep(form);
      keep_calls(op.formulas->composite);
      keep_calls(op.formulas->batching);
      for (const std::string& target : op.computation->targets) keep_calls_of_kernel(target, op);
      if (!gradients_ || op.gradient->derivative == nullptr) continue;
      for (const DerivativeFormula& formula : op.gradient->derivative->formulas)
        keep_calls(formula.formula);
      for (const ForwardFormula& formula : op.gradient->derivative->forward) {
        for (const ForwardFormula::Term& term : formula.terms) keep_calls(term.formula);
      }
    }
  }

  bool contains(const Operator* op) const { return kept_.contains(op); }

 private:
  void keep_calls(const FormulaNode* formula) {
    if (formula == nullptr) return;
    keep(formula->op);
    for (const FormulaNode* operand : formula->operands) keep_calls(operand);
  }

  void keep_calls_of_kernel(const std::string& target, const Operator& op) {
    const auto found =
        calls_.by_kernel.find(std::string(kernel_folder(target)) + "/" + op.name.identifier);
    if (found != calls_.by_kernel.end()) keep_all(found->second);
  }

  void keep_all(const std::vector<std::string>& identifiers) {
    for (const std::string& identifier : identifiers) {
      const auto found = by_identifier_.find(identifier);
      if (found != by_identifier_.end()) keep(found->second);
    }
  }

  const KernelCalls& calls_;
  const bool gradients_;
  std::map<std::string_view, const Operator*> by_identifier_;
  std::set<const Operator*> kept_;
  std::vector<const Operator*> waiting_;
};

// The dtypes that generated kernels shall have, by the functional form.
class SelectedDTypes {
 public:
  explicit SelectedDTypes(const SelectionEntry& selection) : selection_(selection) {}

  void add(const Operator& op, DTypeSet dtypes) { own_[&computation(op)].bits |= dtypes.bits; }

  // The kernels of a gradient do for the dtypes of the operator, unless they are selected
  // themselves.
  DTypeSet of(const Operator& op) const {
    if (const DTypeSet* own = own_of(op)) return *own;
    return selection_.dtypes.value_or(DTypeSet{dtypes::kEvery});
  }
  bool has_own(const Operator& op) const { return own_of(op) != nullptr; }

 private:
  const DTypeSet* own_of(const Operator& op) const {
    for (const Operator* at : {&computation(op), op.origin.gradient_of}) {
      const auto found = at == nullptr ? own_.end() : own_.find(at);
      if (found != own_.end()) return &found->second;
    }
    return nullptr;
  }

  const SelectionEntry& selection_;
  std::map<const Operator*, DTypeSet> own_;
};

// An operator of one dtype alone, which another one needs, is of use only with that.
DTypeSet limited(const Operator& op, DTypeSet selected) {
  const DtypeMask kept = op.dtypes->computed.bits & selected.bits;
  return op.is_expr() && kept != 0 ? DTypeSet{kept} : op.dtypes->computed;
}

// Finds what the names stand for, and says what is wrong with them.
class Names {
 public:
  Names(const OperatorTable& table, DiagnosticSink& sink) : table_(table), sink_(sink) {}

  std::vector<const Operator*> find(const SelectedName& selected) {
    const LocatedText& name = selected.name;
    const auto [first, is_new] = seen_.emplace(name.text, name.whole());
    if (!is_new) {
      sink_
          .error(Code::selected_twice, name.whole(),
                 fmt::format("'{}' is selected twice", name.text))
          .note(first->second, "the first is here");
      return {};
    }
    std::vector<const Operator*> found;
    if (const OperatorFamily* family = table_.family(name.text)) {
      found = family->overloads;
    } else if (const Operator* op = table_.find(name.text)) {
      found = {op};
    } else {
      report_unknown(name);
      return {};
    }
    const bool imported =
        std::ranges::all_of(found, [](const Operator* op) { return op->origin.imported; });
    if (imported) report_imported(name);
    check_dtypes(selected, found);
    return found;
  }

 private:
  void report_unknown(const LocatedText& name) {
    Suggester suggester(name.text);
    for (const Operator* op : table_.all()) {
      suggester.offer(op->name.base);
      suggester.offer(op->name.full);
    }
    sink_
        .error(Code::unknown_selected, name.whole(),
               fmt::format("there is no operator '{}'", name.text))
        .suggest(suggester.best());
  }

  void report_imported(const LocatedText& name) {
    sink_
        .error(Code::unknown_selected, name.whole(),
               fmt::format("'{}' is an operator of another library", name.text))
        .note({}, "a selection chooses among the operators of the library that is generated");
  }

  // Only where the kernels are generated: others have all their dtypes.
  void check_dtypes(const SelectedName& selected, const std::vector<const Operator*>& found) {
    if (!selected.dtypes) return;
    DtypeMask known = 0;
    bool generated = false;
    for (const Operator* op : found) {
      if (!op->is_expr()) continue;
      generated = true;
      known |= op->dtypes->computed.bits;
    }
    if (!generated || (known & selected.dtypes->bits) != 0) return;
    sink_
        .error(Code::dtypes_left_out, selected.name.whole(),
               fmt::format("'{}' computes in none of its selected dtypes", selected.name.text))
        .note(found.front()->origin.span, "the operator is declared here");
  }

  const OperatorTable& table_;
  DiagnosticSink& sink_;
  std::map<std::string_view, Span> seen_;
};

}  // namespace

KernelCalls read_kernel_calls(std::string_view text) {
  KernelCalls calls;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kernel, name;
    if (!(words >> kernel) || kernel.starts_with('#')) continue;
    kernel.pop_back();  // the colon
    auto& names = kernel == "runtime" ? calls.runtime : calls.by_kernel[kernel];
    while (words >> name) names.push_back(name);
  }
  return calls;
}

SelectedOperators apply_selection(const SelectionEntry& selection, const KernelCalls& calls,
                                  const OperatorTable& table, DiagnosticSink& sink) {
  Closure closure(calls, table, selection.gradients);
  SelectedDTypes dtypes(selection);
  Names names(table, sink);
  for (const SelectedName& selected : selection.operators) {
    for (const Operator* op : names.find(selected)) {
      closure.keep(op);
      if (selected.dtypes) dtypes.add(*op, *selected.dtypes);
    }
  }
  if (selection.all) std::ranges::for_each(table.all(), [&](auto* op) { closure.keep(op); });
  closure.finish();
  SelectedOperators made;
  for (const Operator* op : table.all()) {
    Selected& selected = made[op];
    selected.left_out = !op->origin.imported && !closure.contains(op);
    selected.has_own_dtypes = dtypes.has_own(*op);
    selected.dtypes = limited(*op, dtypes.of(*op));
    selected.left_out_dtypes.bits = op->dtypes->computed.bits & ~selected.dtypes.bits;
  }
  return made;
}

}  // namespace opweave::codegen
