// The collecting sink.
#include "codegen/diagnostics/diagnostic.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace opweave::codegen {

Diagnostic& Diagnostic::note(Span where, std::string text) {
  notes.push_back({where, std::move(text)});
  return *this;
}

Diagnostic& Diagnostic::suggest(std::string text) {
  suggestion = std::move(text);
  return *this;
}

Diagnostic& DiagnosticSink::error(Code code, Span span, std::string message) {
  ++error_count_;
  return diagnostics_.emplace_back(
      Diagnostic{code, Severity::error, span, std::move(message), {}, {}});
}

Diagnostic& DiagnosticSink::warning(Code code, Span span, std::string message) {
  return diagnostics_.emplace_back(
      Diagnostic{code, Severity::warning, span, std::move(message), {}, {}});
}

void DiagnosticSink::sort() {
  std::unordered_map<const Source*, size_t> order;
  for (const Diagnostic& d : diagnostics_) order.emplace(d.span.source, order.size());
  auto before = [&](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(order[a.span.source], a.span.begin) <
           std::pair(order[b.span.source], b.span.begin);
  };
  std::stable_sort(diagnostics_.begin(), diagnostics_.end(), before);
}

void DiagnosticSink::keep_first(size_t limit) {
  if (diagnostics_.size() <= limit) return;
  hidden_ += diagnostics_.size() - limit;
  diagnostics_.resize(limit);
}

Context::Context(DiagnosticSink& sink, Span where, std::string text)
    : sink_(sink), note_{where, std::move(text)}, first_(sink.diagnostics_.size()) {}

Context::~Context() {
  for (size_t i = first_; i < sink_.diagnostics_.size(); ++i) {
    Diagnostic& diagnostic = sink_.diagnostics_[i];
    const bool pointed_at = std::ranges::any_of(
        diagnostic.notes, [&](const Note& note) { return note.span == note_.span; });
    if (!diagnostic.in_context && !pointed_at) diagnostic.notes.push_back(note_);
    diagnostic.in_context = true;
  }
}

}  // namespace opweave::codegen
