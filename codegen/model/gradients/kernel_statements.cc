// What `kernels` says against what became of the gradient.
#include "codegen/model/gradients/kernel_statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace opweave::codegen {
namespace {

class KernelStatements {
 public:
  KernelStatements(const std::vector<Draft>& drafts, DiagnosticSink& sink)
      : drafts_(drafts), sink_(sink) {
    for (const Draft& draft : drafts) entries_[draft.op] = draft.entry;
  }

  void check() {
    for (const Draft& draft : drafts_) {
      if (draft.entry == nullptr || draft.op->origin.imported) continue;
      if (draft.op->is_handwritten_composite()) check_composite(draft);
      for (const char* word : {"every_target", "view"}) {
        if (draft.op->has_target(word)) check_every_target(draft, word);
      }
    }
  }

 private:
  void check_composite(const Draft& draft) {
    const Operator& op = *draft.op;
    const Operator& source = op.forms->functional != nullptr ? *op.forms->functional : op;
    const OperatorEntry* denying = denial({&op, &source});
    const bool formula = op.gradient->differentiability == Differentiability::formula;
    if (denying == nullptr && !formula) return;
    Diagnostic& report = sink_.error(
        Code::conflicting_statements, word(draft, "composite"),
        fmt::format("'{}' is 'composite', which autograd differentiates through, and has {}",
                    op.name.full, formula ? "a derivative" : "no gradient"));
    if (denying != nullptr) report.note(denying->differentiable_span, "it is said here");
    if (denying == nullptr && &source != &op)
      report.note(source.schema.name_span, "it is that of the functional form");
    report.note({}, "a function for all targets that runs below autograd is 'every_target'")
        .suggest("every_target");
  }

  // Where a form of its own is differentiated through, which is decided for the functional one.
  void check_every_target(const Draft& draft, std::string_view said) {
    const Operator& op = *draft.op;
    // Of the functional form only beside `composite`, which is refused.
    if (op.gradient->differentiability != Differentiability::through || op.forms->functional == &op)
      return;
    sink_
        .error(Code::conflicting_statements, word(draft, said),
               fmt::format("'{}' is '{}', which runs below autograd, but '{}' is differentiated "
                           "through what it calls",
                           op.name.full, said, op.forms->functional->name.full))
        .note(op.forms->functional->schema.name_span, "it is declared here")
        .suggest("composite");
  }

  // The entry of the first of them that has no gradient by its own words.
  const OperatorEntry* denial(std::initializer_list<const Operator*> ops) const {
    for (const Operator* op : ops) {
      const OperatorEntry* entry = entries_.at(op);
      if (entry != nullptr && !entry->differentiable.value_or(true)) return entry;
    }
    return nullptr;
  }

  static Span word(const Draft& draft, std::string_view text) {
    return std::ranges::find(*draft.entry->kernels, text, &LocatedText::text)->whole();
  }

  const std::vector<Draft>& drafts_;
  DiagnosticSink& sink_;
  std::unordered_map<const Operator*, const OperatorEntry*> entries_;
};

}  // namespace

void refuse_beside_composite(DiagnosticSink& sink, const DerivativeEntry& entry,
                             const Operator& inplace) {
  const Operator& functional = *inplace.forms->functional;
  sink.error(
          Code::derivative_conflict, entry.name.whole(),
          fmt::format("'{}' has a gradient of its own, and '{}', of which it is the in-place form, "
                      "is differentiated through what it calls",
                      inplace.name.full, functional.name.full))
      .note(functional.schema.name_span,
            "give this one 'kernels: [every_target]', and the gradient: both forms have it then");
}

void check_kernel_statements(const std::vector<Draft>& drafts, DiagnosticSink& sink) {
  KernelStatements(drafts, sink).check();
}

}  // namespace opweave::codegen
